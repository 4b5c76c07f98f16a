! SPDX-License-Identifier: BSD-3-Clause
program likwid_app
  use likwid
  implicit none
  character(len=32) :: name = "padded"
  integer :: n = 2, visits = -1
  double precision :: events(2) = 0, time = -1
  call likwid_markerInit()
  call likwid_markerThreadInit()
  call likwid_markerRegisterRegion("solve")
  call likwid_markerStartRegion("solve")
  call likwid_markerStartRegion(name)
  call likwid_markerStopRegion(name)
  call likwid_markerStopRegion("solve")
  call likwid_markerGetRegion("solve", n, events, time, visits)
  print '(a,i0,a,i0)', "solve: ", visits, " times, events ", n
  call likwid_markerClose()
end program likwid_app
