/* Makes each write to the disk WAIT_MS ms slower, like a disk that is less forgiving. Loaded by LD_PRELOAD. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <time.h>

#ifndef WAIT_MS
#define WAIT_MS 1
#endif

static int slow(const char *name, int fd) {
  int (*real)(int) = (int (*)(int))dlsym(RTLD_NEXT, name);
  struct timespec wait = {0, WAIT_MS * 1000000};
  nanosleep(&wait, 0);
  return real(fd);
}

int fsync(int fd) { return slow("fsync", fd); }
int fdatasync(int fd) { return slow("fdatasync", fd); }
