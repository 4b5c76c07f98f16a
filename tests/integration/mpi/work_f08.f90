! SPDX-License-Identifier: BSD-3-Clause
! The same calls as work.c by the module mpi_f08, most without the error argument.
program work
    use mpi_f08
    implicit none
    integer :: rank, ranks, ierr, i, from
    double precision :: one, total
    type(MPI_Comm) :: copy
    type(MPI_Request) :: requests(2)
    call mpi_init()
    call mpi_comm_rank(MPI_COMM_WORLD, rank)
    call mpi_comm_size(MPI_COMM_WORLD, ranks)
    one = 1
    do i = 1, 50
        call mpi_allreduce(one, total, 1, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, ierr)
    end do
    call mpi_irecv(from, 1, MPI_INTEGER, mod(rank + ranks - 1, ranks), 7, MPI_COMM_WORLD, requests(1))
    call mpi_isend(rank, 1, MPI_INTEGER, mod(rank + 1, ranks), 7, MPI_COMM_WORLD, requests(2))
    call mpi_waitall(2, requests, MPI_STATUSES_IGNORE)
    call mpi_comm_dup(MPI_COMM_WORLD, copy)
    call mpi_comm_free(copy)
    if (rank == 0) call execute_command_line('sleep 0.2')
    call mpi_barrier(MPI_COMM_WORLD)
    if (rank == 0) print '(a, f0.0)', 'sum ', total
    call mpi_finalize()
end program work
