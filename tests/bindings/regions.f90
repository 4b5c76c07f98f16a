! SPDX-License-Identifier: BSD-3-Clause
! The module wattle, used in all ways; the test knows its results.
program regions
  use, intrinsic :: iso_c_binding, only: c_int32_t, c_int64_t
  use wattle
  implicit none
  integer(c_int32_t) :: id, same
  character(len=40) :: padded = "padded"
  character(len=300) :: huge_name
  character(len=255) :: longest
  character(len=*), parameter :: none = "     "
  integer :: i

  if (.not. wattle_recording()) print '(a)', "not recording"
  if (wattle_measuring()) print '(a)', "measuring"
  id = wattle_region_id("solve")
  same = wattle_region_id("solve     ")
  if (id == 0 .or. id /= same) stop 1
  do i = 1, 10
    call wattle_region_begin(id)
    call wattle_region_begin("inner, ""quoted""")
    call wattle_region_end("inner, ""quoted""")
    call wattle_region_end(id)
  end do
  call wattle_region_begin(padded)
  call wattle_region_end(padded)
  call wattle_region_begin(" leading blank")
  call wattle_region_end(" leading blank")
  huge_name = repeat("h", 300)
  longest = repeat("l", 255)
  if (wattle_region_id(huge_name) /= 0 .or. wattle_region_id(none) /= 0 .or. wattle_region_id("") /= 0) stop 2
  call wattle_region_begin(huge_name)
  call wattle_region_end(huge_name)
  call wattle_region_begin(longest)
  call wattle_region_end(longest)
  call wattle_event(1000, 7)
  call wattle_event(1001, 8000000000_c_int64_t)
  print '(a)', "done"
end program regions
