/* A small FMU of FMI 2.0 for co-simulation: x' = u - k x, with the exact solution of each step. It counts its steps. */
#include <math.h>
#include <stdlib.h>

typedef struct { double x, k, u; int steps, limit; } Decay;
enum { X, K, U };
enum { STEPS, LIMIT };
enum { OK = 0, ERROR = 3 };

static double *real(Decay *d, unsigned at) { return at == X ? &d->x : at == K ? &d->k : &d->u; }

void *fmi2Instantiate(const char *name, int kind, const char *guid, const char *place, const void *calls, int seen, int log) {
  Decay *d = calloc(1, sizeof *d);
  d->x = d->k = 1;
  return d;
}
void fmi2FreeInstance(void *c) { free(c); }
int fmi2SetupExperiment(void *c, int has, double tolerance, double start, int ends, double stop) { return OK; }
int fmi2EnterInitializationMode(void *c) { return OK; }
int fmi2ExitInitializationMode(void *c) { return OK; }
int fmi2Terminate(void *c) { return OK; }
int fmi2GetReal(void *c, const unsigned *at, size_t n, double *value) {
  for (size_t i = 0; i < n; i++) value[i] = *real(c, at[i]);
  return OK;
}
int fmi2SetReal(void *c, const unsigned *at, size_t n, const double *value) {
  for (size_t i = 0; i < n; i++) *real(c, at[i]) = value[i];
  return OK;
}
int fmi2GetInteger(void *c, const unsigned *at, size_t n, int *value) {
  for (size_t i = 0; i < n; i++) value[i] = at[i] == STEPS ? ((Decay *)c)->steps : ((Decay *)c)->limit;
  return OK;
}
int fmi2SetInteger(void *c, const unsigned *at, size_t n, const int *value) {
  for (size_t i = 0; i < n; i++) if (at[i] == LIMIT) ((Decay *)c)->limit = value[i];
  return OK;
}
int fmi2DoStep(void *c, double time, double step, int keep) {
  Decay *d = c;
  if (d->limit > 0 && d->steps >= d->limit) return ERROR;
  d->x = d->u / d->k + (d->x - d->u / d->k) * exp(-d->k * step);
  d->steps += 1;
  return OK;
}

/* what it cannot do */
#define LACKS(name) int fmi2##name(void) { return ERROR; }
LACKS(GetTypesPlatform) LACKS(GetVersion) LACKS(SetDebugLogging) LACKS(Reset) LACKS(GetBoolean) LACKS(SetBoolean)
LACKS(GetString) LACKS(SetString) LACKS(GetFMUstate) LACKS(SetFMUstate) LACKS(FreeFMUstate)
LACKS(SerializedFMUstateSize) LACKS(SerializeFMUstate) LACKS(DeSerializeFMUstate) LACKS(GetDirectionalDerivative)
LACKS(SetRealInputDerivatives) LACKS(GetRealOutputDerivatives) LACKS(CancelStep) LACKS(GetStatus)
LACKS(GetRealStatus) LACKS(GetIntegerStatus) LACKS(GetBooleanStatus) LACKS(GetStringStatus)
