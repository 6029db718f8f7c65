/* The C interface: JSON in, JSON out. Texts are UTF-8 and end in a zero byte. Safe to call from several threads. No exception leaves it. */
#ifndef STEELYARD_H
#define STEELYARD_H

#if defined(__GNUC__)
#define STEELYARD_API __attribute__((visibility("default")))
#else
#define STEELYARD_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

/** Counts up when a function below changes its meaning or goes away; new functions and new JSON keys do not count. */
#define STEELYARD_ABI_VERSION 1

/** The STEELYARD_ABI_VERSION of the library that is loaded. */
STEELYARD_API int steelyard_abi_version(void);

/** "0.1.0". Belongs to the library. */
STEELYARD_API const char* steelyard_version(void);

/**
 * Answers a verb: "recommend", "explain", "compare", "launch", "estimate", "stack", "understand", "read", "verify", "diagnose",
 * "acceptance", "calibrate", "import", "lint". The request is a JSON object, as steelyard/call.hpp describes; the answer has the form of `advise VERB --format json`, or
 * {"error": {"message", "issues"}}.
 * The answer belongs to the caller: steelyard_free. NULL only where memory is exhausted, or an argument is NULL.
 */
STEELYARD_API char* steelyard_call(const char* verb, const char* request);

/** Frees an answer; NULL is allowed. */
STEELYARD_API void steelyard_free(char* answer);

#ifdef __cplusplus
}
#endif

#endif
