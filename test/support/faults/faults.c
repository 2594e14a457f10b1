/*
 * Interposes calls of the C library (LD_PRELOAD), so that tests can make the operating system fail or its clock jump.
 *
 * The file named by LEAPFROG_TEST_FAULTS is mapped into memory and has the form of `struct rules`. A test changes it while
 * the process runs (faults.ts). A call fails with `error` if its type is in `calls` and its path contains `path`, after
 * `spared` such calls and at most `most` times.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/time.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

enum { READS = 1, CREATES = 2, READ = 4, WRITE = 8, SYNC = 16, RENAME = 32, MAKE = 64, REMOVE = 128, LIST = 256, CHANGE = 512, ACCEPT = 1024 };

struct rules {
  int32_t error;
  uint32_t calls;
  int32_t spared;
  int32_t most;
  int64_t clock; /* nanoseconds added to the time of day */
  int64_t space; /* bytes reported as free on every file system; negative for the real number */
  int32_t failed;
  int32_t unused;
  char path[4056];
};

static struct rules *rules;

/* `real` is the function of this name in the C library. */
#define REAL(name) \
  static __typeof__(name) *real; \
  if (real == NULL) real = (__typeof__(name) *)dlsym(RTLD_NEXT, #name)

__attribute__((constructor)) static void start(void) {
  const char *name = getenv("LEAPFROG_TEST_FAULTS");
  if (name == NULL) return;
  REAL(open64);
  int file = real(name, O_RDWR | O_CLOEXEC);
  if (file < 0) return;
  void *found = mmap(NULL, sizeof(struct rules), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  close(file);
  if (found != MAP_FAILED) rules = found;
}

static int fails(uint32_t call, const char *path) {
  if (rules == NULL || rules->error == 0 || (rules->calls & call) == 0) return 0;
  if (path == NULL || strstr(path, rules->path) == NULL) return 0;
  if (__atomic_load_n(&rules->spared, __ATOMIC_RELAXED) > 0 && __atomic_fetch_sub(&rules->spared, 1, __ATOMIC_RELAXED) > 0)
    return 0;
  if (__atomic_fetch_sub(&rules->most, 1, __ATOMIC_RELAXED) <= 0) {
    __atomic_store_n(&rules->most, 0, __ATOMIC_RELAXED);
    return 0;
  }
  __atomic_fetch_add(&rules->failed, 1, __ATOMIC_RELAXED);
  errno = rules->error;
  return 1;
}

static int fails_open_file(uint32_t call, int file) {
  if (rules == NULL || rules->error == 0 || (rules->calls & call) == 0) return 0;
  char link[64], path[PATH_MAX];
  snprintf(link, sizeof link, "/proc/self/fd/%d", file);
  ssize_t length = readlink(link, path, sizeof path - 1);
  if (length < 0) return 0;
  path[length] = 0;
  return fails(call, path);
}

int open64(const char *path, int flags, ...) {
  REAL(open64);
  va_list rest;
  va_start(rest, flags);
  mode_t mode = (flags & (O_CREAT | O_TMPFILE)) ? va_arg(rest, mode_t) : 0;
  va_end(rest);
  int writes = (flags & (O_WRONLY | O_RDWR | O_CREAT)) != 0;
  return fails(writes ? CREATES : READS, path) ? -1 : real(path, flags, mode);
}

#define CALL(result, call, name, parameters, values, path) \
  result name parameters { REAL(name); return fails(call, path) ? -1 : real values; }
#define FILE_CALL(result, call, name, parameters, values) \
  result name parameters { REAL(name); return fails_open_file(call, file) ? -1 : real values; }

FILE_CALL(ssize_t, READ, read, (int file, void *to, size_t size), (file, to, size))
FILE_CALL(ssize_t, READ, pread64, (int file, void *to, size_t size, off64_t at), (file, to, size, at))
FILE_CALL(ssize_t, READ, readv, (int file, const struct iovec *to, int count), (file, to, count))
FILE_CALL(ssize_t, READ, preadv64, (int file, const struct iovec *to, int count, off64_t at), (file, to, count, at))
FILE_CALL(ssize_t, WRITE, write, (int file, const void *from, size_t size), (file, from, size))
FILE_CALL(ssize_t, WRITE, pwrite64, (int file, const void *from, size_t size, off64_t at), (file, from, size, at))
FILE_CALL(ssize_t, WRITE, writev, (int file, const struct iovec *from, int count), (file, from, count))
FILE_CALL(ssize_t, WRITE, pwritev64, (int file, const struct iovec *from, int count, off64_t at), (file, from, count, at))
FILE_CALL(int, SYNC, fsync, (int file), (file))
FILE_CALL(int, SYNC, fdatasync, (int file), (file))
FILE_CALL(int, CHANGE, ftruncate64, (int file, off64_t size), (file, size))
FILE_CALL(int, CHANGE, fchmod, (int file, mode_t mode), (file, mode))
CALL(int, RENAME, rename, (const char *from, const char *to), (from, to), to)
CALL(int, MAKE, mkdir, (const char *path, mode_t mode), (path, mode), path)
CALL(int, REMOVE, unlink, (const char *path), (path), path)
CALL(int, REMOVE, rmdir, (const char *path), (path), path)
CALL(int, CHANGE, chmod, (const char *path, mode_t mode), (path, mode), path)
CALL(int, CHANGE, utimensat, (int folder, const char *path, const struct timespec times[2], int flags), (folder, path, times, flags), path)
CALL(int, LIST, scandir64, (const char *path, struct dirent64 ***names, int (*keep)(const struct dirent64 *), int (*order)(const struct dirent64 **, const struct dirent64 **)), (path, names, keep, order), path)

char *mkdtemp(char *path) {
  REAL(mkdtemp);
  return fails(MAKE, path) ? NULL : real(path);
}

DIR *opendir(const char *path) {
  REAL(opendir);
  return fails(LIST, path) ? NULL : real(path);
}

int accept(int socket, struct sockaddr *address, socklen_t *size) {
  REAL(accept);
  return fails(ACCEPT, "") ? -1 : real(socket, address, size);
}

int accept4(int socket, struct sockaddr *address, socklen_t *size, int flags) {
  REAL(accept4);
  return fails(ACCEPT, "") ? -1 : real(socket, address, size, flags);
}

int statfs64(const char *path, struct statfs64 *found) {
  REAL(statfs64);
  int result = real(path, found);
  if (result == 0 && rules != NULL && rules->space >= 0) found->f_bavail = rules->space / found->f_bsize;
  return result;
}

static void shift(time_t *seconds, int64_t *nanoseconds) {
  int64_t all = *nanoseconds + rules->clock % 1000000000;
  *seconds += rules->clock / 1000000000 + (all >= 1000000000) - (all < 0);
  *nanoseconds = (all + 1000000000) % 1000000000;
}

int clock_gettime(clockid_t clock, struct timespec *now) {
  REAL(clock_gettime);
  int result = real(clock, now);
  if (result == 0 && rules != NULL && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE)) {
    int64_t rest = now->tv_nsec;
    shift(&now->tv_sec, &rest);
    now->tv_nsec = rest;
  }
  return result;
}

int gettimeofday(struct timeval *restrict now, void *restrict zone) {
  REAL(gettimeofday);
  int result = real(now, zone);
  if (result == 0 && rules != NULL) {
    int64_t rest = (int64_t)now->tv_usec * 1000;
    shift(&now->tv_sec, &rest);
    now->tv_usec = rest / 1000;
  }
  return result;
}

time_t time(time_t *to) {
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  if (to != NULL) *to = now.tv_sec;
  return now.tv_sec;
}
