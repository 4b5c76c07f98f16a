! SPDX-License-Identifier: BSD-3-Clause
! The part of mpi_f08 in states: statuses that are wanted or not, persistent requests, 2 ranks.
program states
  use mpi_f08
  implicit none
  integer :: rank, other, words(100)
  type(MPI_Status) :: status
  type(MPI_Request) :: request, both(2)
  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  other = 1 - rank
  call MPI_Irecv(words, 60, MPI_INTEGER, other, 3, MPI_COMM_WORLD, request)
  call MPI_Send(words, 50, MPI_INTEGER, other, 3, MPI_COMM_WORLD)
  call MPI_Wait(request, status)
  call MPI_Sendrecv(words, 2, MPI_INTEGER, other, 4, words(50), 9, MPI_INTEGER, MPI_ANY_SOURCE, 4, &
                    MPI_COMM_WORLD, MPI_STATUS_IGNORE)
  call MPI_Sendrecv(words, 3, MPI_INTEGER, other, 4, words(50), 9, MPI_INTEGER, MPI_ANY_SOURCE, 4, &
                    MPI_COMM_WORLD, status)
  call MPI_Recv_init(words, 9, MPI_INTEGER, other, 5, MPI_COMM_WORLD, both(1))
  call MPI_Send_init(words(50), 7, MPI_INTEGER, other, 5, MPI_COMM_WORLD, both(2))
  call MPI_Startall(2, both)
  call MPI_Waitall(2, both, MPI_STATUSES_IGNORE)
  call MPI_Request_free(both(1))
  call MPI_Request_free(both(2))
  call MPI_Finalize()
end program
