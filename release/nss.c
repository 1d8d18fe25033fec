/* For a program that is linked with glibc itself: names of hosts and users are looked up by what is linked in. Otherwise glibc
 * loads the modules that /etc/nsswitch.conf names, which belong to the libc of the machine and need not fit this one. */
#include <nss.h>

static void configure(void) __attribute__((constructor));

static void configure(void) {
    __nss_configure_lookup("hosts", "files dns");
    __nss_configure_lookup("passwd", "files");
}
