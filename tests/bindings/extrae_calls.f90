! SPDX-License-Identifier: BSD-3-Clause
! As module extrae_module declares the calls: types of 4 bytes, values of 8.
program calls
  use, intrinsic :: iso_c_binding
  implicit none
  integer(4) :: types(2) = (/ 600, 601 /), none = 1
  integer(8) :: values(2) = (/ 1_8, 2_8 /), ends(2) = 0
  character(kind=c_char, len=8), target :: text = "begin" // c_null_char
  type(c_ptr) :: texts(1)

  texts(1) = c_loc(text)
  call extrae_init()
  call extrae_define_event_type(600, "Phase" // c_null_char, none, values, texts)
  call extrae_nevent(2, types, values)
  call extrae_event(601, 0_8)
  call extrae_eventandcounters(600, 0_8)
  call extrae_user_function(1)
  call extrae_user_function(0)
  call extrae_neventandcounters(2, types, ends)
  call extrae_fini()
end program
