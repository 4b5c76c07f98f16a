/* SPDX-License-Identifier: BSD-3-Clause */
/* Structures of older and newer programs. */
#include "base/sized.h"

#include <errno.h>

#include "tap.h"

/* As in the first release, as it is here, and as in a later release. */
struct first {
    size_t size;
    uint64_t a;
};
struct here {
    size_t size;
    uint64_t a, b;
};
struct later {
    size_t size;
    uint64_t a, b, c;
};

static const struct wtl_sized sized = {"struct here", sizeof(struct here), sizeof(struct first)};

static void test_results(void)
{
    const struct here whole = {0, 1, 2};
    struct wattle_error err = {""};
    struct {
        struct first first;
        uint64_t behind;
    } old = {{sizeof(struct first), 0}, 77};
    struct here same = {sizeof same, 0, 0};
    struct later new = {sizeof new, 0, 0, 0};
    is_int(wtl_sized_check(&sized, &old, &err), 0, "an older program");
    wtl_sized_give(&sized, &whole, &old);
    ok(old.first.size == sizeof(struct first) && old.first.a == 1 && old.behind == 77,
       "gets what it knows, and nothing behind it is touched");
    is_int(wtl_sized_check(&sized, &same, &err), 0, "a program of this version");
    wtl_sized_give(&sized, &whole, &same);
    ok(same.size == sizeof same && same.a == 1 && same.b == 2, "gets all");
    is_int(wtl_sized_check(&sized, &new, &err), -ENOTSUP, "%s", err.text);
    same.size = sizeof(struct first) - 1;
    is_int(wtl_sized_check(&sized, &same, &err), -EINVAL, "%s", err.text);
    is_int(wtl_sized_check(&sized, NULL, &err), -EINVAL, "%s", err.text);
}

static void test_options(void)
{
    struct wattle_error err = {""};
    struct here whole = {9, 9, 9};
    const struct first old = {sizeof old, 1};
    const struct later zero = {sizeof zero, 3, 4, 0}, set = {sizeof set, 3, 4, 5};
    is_int(wtl_sized_take(&sized, &set, &whole, &err), -ENOTSUP, "%s", err.text);
    ok(whole.a == 9, "untouched");
    is_int(wtl_sized_take(&sized, &old, &whole, &err), 0, "options of an older program");
    ok(whole.a == 1 && whole.b == 0, "what it does not know is the default");
    is_int(wtl_sized_take(&sized, &zero, &whole, &err), 0, "of a newer one that sets nothing new");
    ok(whole.a == 3 && whole.b == 4, "are taken");
    is_int(wtl_sized_take(&sized, NULL, &whole, &err), -EINVAL, "%s", err.text);
}

int main(void)
{
    test_results();
    test_options();
    return done_testing();
}
