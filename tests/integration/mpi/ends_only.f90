! SPDX-License-Identifier: BSD-3-Clause
! The same in Fortran.
program ends_only
    implicit none
    external :: mpi_init, mpi_finalize
    integer :: rc
    call mpi_init(rc)
    call execute_command_line('sleep 0.4')
    call mpi_finalize(rc)
end program
