! SPDX-License-Identifier: BSD-3-Clause
!
! wattle for Fortran (2003 and later): regions and events of a program, and measuring from inside it.
!
!     use wattle
!     call wattle_init()                     ! not needed under "wattle run"
!     solve = wattle_region_id("solve")      ! once; integer(c_int32_t)
!     call wattle_region_begin(solve)        ! cheap; by name, too: call wattle_region_begin("solve")
!     call wattle_region_end(solve)
!     call wattle_event(1000, 42_c_int64_t)
!     call wattle_mark_now(start)                ! type(wattle_moment)
!     call wattle_read_total(used, start)    ! type(wattle_domain_energy): used%energy_j, used%power_w
!     call wattle_finalize()
!
! A module works only with the compiler that built it, so this source is included: compile it with the program,
!
!     gfortran wattle.f90 app.f90 -lwattle
!
! or use gfortran's library and .mod where they were built: -lwattle-fortran -lwattle.
!
! Trailing blanks of names are ignored, as in Fortran's text comparison; the remaining 1 to 255 bytes are a valid name,
! others have the id 0 and are ignored (wattle_region(3)). An id is the same for the same name in the whole process, in
! C and Fortran.
!
! Nothing here stops a program. Threads: as in C, each thread begins and ends its own regions; init and finalize from
! one thread.
module wattle
  use, intrinsic :: iso_c_binding, only: c_associated, c_char, c_double, c_f_pointer, c_int, c_int32_t, &
    c_int64_t, c_loc, c_null_char, c_null_ptr, c_ptr, c_size_t
  implicit none
  private
  public :: wattle_region_id, wattle_region_begin, wattle_region_end, wattle_event, wattle_recording
  public :: wattle_init, wattle_finalize, wattle_measuring
  public :: wattle_moment, wattle_domain_energy, wattle_mark_now, wattle_read, wattle_read_total, wattle_read_region, wattle_name

  integer, parameter :: longest = 255

  ! A moment, valid in this process; its content is private.
  type, bind(c) :: wattle_moment
    integer(c_int64_t) :: opaque(128) = 0
  end type wattle_moment

  ! What one channel, or the total, has used since a moment; like struct wattle_domain_energy of <wattle/profiler.h>.
  ! NaN = unknown.
  type, bind(c) :: wattle_domain_energy
    type(c_ptr) :: name = c_null_ptr ! see wattle_name()
    integer(c_int) :: domain, index, quality, flags
    real(c_double) :: energy_j, resolution_interval_j, power_w
    integer(c_int64_t) :: window_ns, age_ns, unknown_ns
    integer(c_int64_t) :: reserved(5)
  end type wattle_domain_energy

  interface wattle_region_begin
    procedure begin_id, begin_name
  end interface
  interface wattle_region_end
    procedure end_id, end_name
  end interface
  interface wattle_event
    procedure event_32, event_64
  end interface

  interface
    function c_region_id(name) bind(c, name="wattle_region_id") result(id)
      import :: c_char, c_int32_t
      character(kind=c_char), intent(in) :: name(*)
      integer(c_int32_t) :: id
    end function c_region_id
    subroutine begin_id(id) bind(c, name="wattle_region_begin")
      import :: c_int32_t
      integer(c_int32_t), value :: id
    end subroutine begin_id
    subroutine end_id(id) bind(c, name="wattle_region_end")
      import :: c_int32_t
      integer(c_int32_t), value :: id
    end subroutine end_id
    subroutine c_begin_name(name) bind(c, name="wattle_region_begin_name")
      import :: c_char
      character(kind=c_char), intent(in) :: name(*)
    end subroutine c_begin_name
    subroutine c_end_name(name) bind(c, name="wattle_region_end_name")
      import :: c_char
      character(kind=c_char), intent(in) :: name(*)
    end subroutine c_end_name
    subroutine event_64(type, value) bind(c, name="wattle_event")
      import :: c_int32_t, c_int64_t
      integer(c_int32_t), value :: type
      integer(c_int64_t), value :: value
    end subroutine event_64
    function c_recording() bind(c, name="wattle_recording") result(yes)
      import :: c_int
      integer(c_int) :: yes
    end function c_recording
    function c_init(options) bind(c, name="wattle_init") result(code)
      import :: c_int, c_ptr
      type(c_ptr), value :: options
      integer(c_int) :: code
    end function c_init
    function c_finalize() bind(c, name="wattle_finalize") result(code)
      import :: c_int
      integer(c_int) :: code
    end function c_finalize
    function c_mark(moment) bind(c, name="wattle_mark_now") result(code)
      import :: c_int, wattle_moment
      type(wattle_moment), intent(out) :: moment
      integer(c_int) :: code
    end function c_mark
    function c_read(since, energies, n) bind(c, name="wattle_read") result(count)
      import :: c_int, c_ptr, c_size_t, wattle_domain_energy
      type(c_ptr), value :: since
      type(wattle_domain_energy), intent(inout) :: energies(*)
      integer(c_size_t), value :: n
      integer(c_int) :: count
    end function c_read
    function c_read_total(since, energy) bind(c, name="wattle_read_total") result(count)
      import :: c_int, c_ptr, wattle_domain_energy
      type(c_ptr), value :: since
      type(wattle_domain_energy), intent(inout) :: energy
      integer(c_int) :: count
    end function c_read_total
    function c_read_region(energies, n) bind(c, name="wattle_read_region") result(count)
      import :: c_int, c_size_t, wattle_domain_energy
      type(wattle_domain_energy), intent(inout) :: energies(*)
      integer(c_size_t), value :: n
      integer(c_int) :: count
    end function c_read_region
    function c_strlen(text) bind(c, name="strlen") result(n)
      import :: c_ptr, c_size_t
      type(c_ptr), value :: text
      integer(c_size_t) :: n
    end function c_strlen
    function c_measuring() bind(c, name="wattle_measuring") result(yes)
      import :: c_int
      integer(c_int) :: yes
    end function c_measuring
  end interface

contains

  ! Convert a text to C, without trailing blanks. One that is too long stays too long, and is refused.
  pure subroutine to_c(text, c)
    character(len=*), intent(in) :: text
    character(kind=c_char), intent(out) :: c(longest + 2)
    integer :: i, n

    n = min(len_trim(text), longest + 1)
    do i = 1, n
      c(i) = text(i:i)
    end do
    c(n + 1) = c_null_char
  end subroutine to_c

  ! The id of a name, looked up once; 0 = refused, which begin and end ignore.
  function wattle_region_id(name) result(id)
    character(len=*), intent(in) :: name
    integer(c_int32_t) :: id
    character(kind=c_char) :: c(longest + 2)

    call to_c(name, c)
    id = c_region_id(c)
  end function wattle_region_id

  subroutine begin_name(name)
    character(len=*), intent(in) :: name
    character(kind=c_char) :: c(longest + 2)

    call to_c(name, c)
    call c_begin_name(c)
  end subroutine begin_name

  subroutine end_name(name)
    character(len=*), intent(in) :: name
    character(kind=c_char) :: c(longest + 2)

    call to_c(name, c)
    call c_end_name(c)
  end subroutine end_name

  ! Record a user-defined event: type below 2**31, and its value.
  subroutine event_32(type, value)
    integer(c_int32_t), intent(in) :: type
    integer(c_int32_t), intent(in) :: value

    call event_64(type, int(value, c_int64_t))
  end subroutine event_32

  ! Are the calls of this process being recorded?
  function wattle_recording() result(yes)
    logical :: yes

    yes = c_recording() /= 0
  end function wattle_recording

  ! Start measuring this program's nodes, as configured in the environment (wattle_profiler(3)). code: 0, or the
  ! negative errno that C returns; the program then continues unmeasured.
  subroutine wattle_init(code)
    integer, intent(out), optional :: code
    integer(c_int) :: rc

    rc = c_init(c_null_ptr)
    if (present(code)) code = int(rc)
  end subroutine wattle_init

  subroutine wattle_finalize(code)
    integer, intent(out), optional :: code
    integer(c_int) :: rc

    rc = c_finalize()
    if (present(code)) code = int(rc)
  end subroutine wattle_finalize

  ! Does this process sample its node? Another one may do it for all.
  function wattle_measuring() result(yes)
    logical :: yes

    yes = c_measuring() /= 0
  end function wattle_measuring

  ! Remember this moment. code: 0; a negative errno if no process samples for this one.
  subroutine wattle_mark_now(moment, code)
    type(wattle_moment), intent(out) :: moment
    integer, intent(out), optional :: code
    integer(c_int) :: rc

    rc = c_mark(moment)
    if (present(code)) code = int(rc)
  end subroutine wattle_mark_now

  ! The sum over the channels that may be added up, since a moment or the start. code: their number, or a negative
  ! errno: then energy is unchanged.
  subroutine wattle_read_total(energy, since, code)
    type(wattle_domain_energy), intent(inout) :: energy
    type(wattle_moment), intent(in), target, optional :: since
    integer, intent(out), optional :: code
    integer(c_int) :: rc

    rc = c_read_total(place_of(since), energy)
    if (present(code)) code = int(rc)
  end subroutine wattle_read_total

  ! Each channel since a moment or the start; as many as fit. Returns the total number, or a negative errno.
  function wattle_read(energies, since) result(count)
    type(wattle_domain_energy), intent(inout) :: energies(:)
    type(wattle_moment), intent(in), target, optional :: since
    integer :: count

    count = int(c_read(place_of(since), energies, size(energies, kind=c_size_t)))
  end function wattle_read

  ! The same since the begin of the innermost region that is open on this thread.
  function wattle_read_region(energies) result(count)
    type(wattle_domain_energy), intent(inout) :: energies(:)
    integer :: count

    count = int(c_read_region(energies, size(energies, kind=c_size_t)))
  end function wattle_read_region

  ! The name of the channel of a row.
  function wattle_name(energy) result(name)
    type(wattle_domain_energy), intent(in) :: energy
    character(len=:), allocatable :: name
    character(kind=c_char), pointer :: letters(:)
    integer :: i, n

    name = ""
    if (.not. c_associated(energy%name)) return
    n = int(c_strlen(energy%name))
    call c_f_pointer(energy%name, letters, [n])
    do i = 1, n
      name = name // letters(i)
    end do
  end function wattle_name

  function place_of(since) result(place)
    type(wattle_moment), intent(in), target, optional :: since
    type(c_ptr) :: place

    place = c_null_ptr
    if (present(since)) place = c_loc(since)
  end function place_of

end module wattle
