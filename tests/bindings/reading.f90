! SPDX-License-Identifier: BSD-3-Clause
! The module wattle measures its own program, and reads its energy during the run.
program reading
  use, intrinsic :: iso_c_binding, only: c_double
  use wattle
  implicit none
  type(wattle_moment) :: start
  type(wattle_domain_energy) :: total, rows(32)
  integer :: code, n
  real(c_double) :: x = 1

  call wattle_read_total(total, code=code)
  if (code >= 0) stop 1
  call wattle_init(code)
  if (code /= 0) stop 2
  call wattle_mark_now(start, code)
  if (code /= 0) stop 3
  call wattle_region_begin("loop")
  total%energy_j = 0
  do while (.not. total%energy_j > 0)
    x = sqrt(x + 1)
    call wattle_read_total(total, start, code)
    if (code < 1) stop 4
  end do
  n = wattle_read_region(rows)
  if (n < 1) stop 5
  call wattle_region_end("loop")
  n = wattle_read(rows)
  if (n < 1) stop 6
  print '(a,1x,i0,1x,l1,1x,l1)', wattle_name(rows(1)), n, wattle_measuring(), rows(1)%energy_j >= total%energy_j
  call wattle_finalize(code)
  if (code /= 0 .or. x < 0) stop 7
end program reading
