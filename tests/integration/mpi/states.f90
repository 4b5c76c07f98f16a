! SPDX-License-Identifier: BSD-3-Clause
! Fortran's part of states: the calls of a ring, 2 ranks.
program states
  use mpi
  implicit none
  integer :: ierr, rank, other, words(100), status(MPI_STATUS_SIZE), request, comm
  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  other = 1 - rank
  call MPI_Irecv(words, 60, MPI_INTEGER, other, 3, MPI_COMM_WORLD, request, ierr)
  call MPI_Send(words, 50, MPI_INTEGER, other, 3, MPI_COMM_WORLD, ierr)
  call MPI_Wait(request, status, ierr)
  call MPI_Sendrecv(words, 2, MPI_INTEGER, other, 4, words(50), 9, MPI_INTEGER, MPI_ANY_SOURCE, 4, &
                    MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
  call MPI_Comm_dup(MPI_COMM_WORLD, comm, ierr)
  call MPI_Allreduce(MPI_IN_PLACE, words, 7, MPI_INTEGER, MPI_SUM, comm, ierr)
  call MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, words, 3, MPI_INTEGER, MPI_COMM_WORLD, ierr)
  call MPI_Finalize(ierr)
end program
