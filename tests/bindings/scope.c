/* SPDX-License-Identifier: BSD-3-Clause */
/* Regions by scope, left in every possible way; C and C++. The test "scope" knows the numbers of visits. */
#include <wattle/region.h>

#include <stdio.h>
#ifdef __cplusplus
#    include <stdexcept>
#endif

int leave_by_return(int i);
int leave_by_goto(int i);
int shadowed(int i);

int leave_by_return(int i)
{
    WATTLE_REGION("return")
    {
        if (i >= 0)
            return i + 1;
    }
    return 0;
}

int leave_by_goto(int i)
{
    WATTLE_REGION_SCOPE("goto");
    {
        WATTLE_REGION_SCOPE("goto inner");
        if (i >= 0)
            goto out;
    }
    return -1;
out:
    return i;
}

/* Two in one scope, and one inside the other on the same name. */
int shadowed(int i)
{
    WATTLE_REGION_SCOPE("first");
    WATTLE_REGION_SCOPE("second");

    WATTLE_REGION("first")
    {
        i++;
    }
    return i;
}

#ifdef __cplusplus
static int thrown(int i)
{
    try {
        WATTLE_REGION("thrown")
        {
            WATTLE_REGION_SCOPE("thrown inner");
            throw std::runtime_error("on purpose");
        }
    } catch (const std::exception &) {
        return i;
    }
    return -1;
}
#endif

int main(void)
{
    int passes = 0, wrong = 0;

    for (int i = 0; i < 10; i++) {
        wrong += leave_by_return(i) != i + 1;
        wrong += leave_by_goto(i) != i;
        wrong += shadowed(i) != i + 1;
    }
    for (int i = 0; i < 10; i++) {
        WATTLE_REGION("break")
        {
            if (i % 2)
                break;
            passes++;
        }
    }
    /* C leaves the block, C++ the loop around it: the second pass. */
#ifdef __cplusplus
    wrong += passes != 1;
#else
    wrong += passes != 5;
#endif
    passes = 0;
    for (int i = 0; i < 10; i++) {
        WATTLE_REGION_SCOPE("continue");
        if (i % 2)
            continue;
        passes++;
    }
    wrong += passes != 5;
    /* A single statement, and an else that belongs to the if before it. */
    passes = 0;
    for (int i = 0; i < 10; i++) {
        if (i < 3)
            WATTLE_REGION("statement") passes += 100;
        else
            passes++;
    }
    wrong += passes != 307;
#ifdef __cplusplus
    wrong += thrown(7) != 7;
#endif
    printf("%d wrong\n", wrong);
    return wrong != 0;
}
