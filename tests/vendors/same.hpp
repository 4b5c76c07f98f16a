// SPDX-License-Identifier: BSD-3-Clause
// Whether a prototype of wattle's own can call a vendor's function: as many arguments, each in the same kind of register and, where it
// points to something, with room for what is written there. Compiled by scripts/check-vendors only.
#pragma once
#include <cstddef>
#include <type_traits>

#define _Static_assert static_assert

namespace same {

template <class T, class = void> struct room {
    static constexpr std::size_t value = 0; // not known: void, or a structure without a body
};
template <class T> struct room<T, std::enable_if_t<std::is_object_v<T> && (sizeof(T) > 0)>> {
    static constexpr std::size_t value = sizeof(T);
};

template <class T> constexpr bool is_number = std::is_integral_v<T> || std::is_enum_v<T>;

template <class Mine, class Theirs> constexpr bool argument()
{
    if constexpr (std::is_pointer_v<Mine> && std::is_pointer_v<Theirs>) {
        using mine = std::remove_cv_t<std::remove_pointer_t<Mine>>;
        using theirs = std::remove_cv_t<std::remove_pointer_t<Theirs>>;
        if constexpr (std::is_pointer_v<mine> && std::is_pointer_v<theirs>)
            return true;
        else if constexpr (std::is_class_v<mine>)
            return room<mine>::value == 0 || room<theirs>::value == 0 || room<mine>::value >= room<theirs>::value;
        else
            return room<mine>::value == 0 || room<theirs>::value == 0 || room<mine>::value == room<theirs>::value;
    } else if constexpr (std::is_pointer_v<Mine> || std::is_pointer_v<Theirs>) {
        return false;
    } else if constexpr (std::is_class_v<Theirs> || std::is_class_v<Mine>) {
        return std::is_class_v<Theirs> && std::is_class_v<Mine> && sizeof(Mine) == sizeof(Theirs);
    } else {
        return sizeof(Mine) == sizeof(Theirs) && is_number<Mine> == is_number<Theirs>;
    }
}

template <class Mine, class Theirs> struct call : std::false_type {};
template <class R, class... A, class S, class... B> struct call<R (*)(A...), S (*)(B...)> {
    static constexpr bool each()
    {
        if constexpr (sizeof...(A) == sizeof...(B))
            return argument<R, S>() && (argument<A, B>() && ...);
        else
            return false;
    }
    static constexpr bool value = each();
};

} // namespace same

#define SAME_CALL(Table, Member, Function)                                                                             \
    static_assert(same::call<decltype(Table::Member), decltype(&Function)>::value,                                     \
                  "call: " #Member " cannot call " #Function)
#define SAME_NUMBER(Mine, Theirs)                                                                                      \
    static_assert((unsigned long long)(Mine) == (unsigned long long)(Theirs), "number: " #Mine " is not " #Theirs)
#define SAME_SIZE(Mine, Theirs) static_assert(sizeof(Mine) == sizeof(Theirs), "size: " #Mine " is not " #Theirs)
#define SAME_PLACE(Mine, M, Theirs, T)                                                                                 \
    static_assert(offsetof(Mine, M) == offsetof(Theirs, T) && sizeof(((Mine *)0)->M) == sizeof(((Theirs *)0)->T),      \
                  "place: " #Mine "." #M " is not " #Theirs "." #T)
#define SAME_OFFSET(Number, Theirs, T)                                                                                 \
    static_assert((Number) == offsetof(Theirs, T), "offset: " #Number " is not that of " #Theirs "." #T)
