/*
 * Threads that turn plans into modules while the device runs other ones:
 * assembling a kernel takes longer than running it a billion times.
 *
 * A trial that is queued belongs to the loader until loader_wait() or
 * loader_cancel() gives it back, and must not move meanwhile.
 */
#include "driver.h"

#include <pthread.h>
#include <time.h>

#define GUESS 0.01 /* seconds a module, until one has been measured */
#define MEMORY 0.9 /* weight of what was known of loading */
#define SIGN_SECONDS 0.1 /* between two calls of alive() */

struct loader {
	pthread_mutex_t lock;
	pthread_cond_t work, done;
	struct trial *first, *last; /* the queue */
	int pending; /* queued, or in a thread's hands */
	double seconds; /* that a module takes a thread */
	bool closing;
	int nthreads;
	pthread_t threads[LOAD_THREADS];
};

static void
unlink_trial(struct loader *l, struct trial *t)
{
	*(t->before ? &t->before->after : &l->first) = t->after;
	*(t->after ? &t->after->before : &l->last) = t->before;
	t->before = t->after = NULL;
}

/* Called and left with the lock held. */
static void
take_and_load(struct loader *l, struct trial *t)
{
	double begin;

	unlink_trial(l, t);
	t->load = LOAD_RUNNING;
	pthread_mutex_unlock(&l->lock);
	begin = wall_clock();
	if (!trial_load(t, &t->load_err))
		t->module = NULL;
	begin = wall_clock() - begin;
	pthread_mutex_lock(&l->lock);
	t->load = LOAD_DONE;
	l->seconds = MEMORY * l->seconds + (1 - MEMORY) * begin;
	l->pending--;
	pthread_cond_broadcast(&l->done);
}

static void *
serve(void *user)
{
	struct loader *l = user;

	pthread_mutex_lock(&l->lock);
	while (!l->closing) {
		if (l->first)
			take_and_load(l, l->first);
		else
			pthread_cond_wait(&l->work, &l->lock);
	}
	pthread_mutex_unlock(&l->lock);
	return NULL;
}

struct loader *
loader_open(int threads, struct arena *a)
{
	struct loader *l = arena_alloc(a, sizeof(*l));
	pthread_condattr_t monotonic;

	l->seconds = GUESS;
	pthread_condattr_init(&monotonic);
	pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
	pthread_mutex_init(&l->lock, NULL);
	pthread_cond_init(&l->work, NULL);
	pthread_cond_init(&l->done, &monotonic);
	pthread_condattr_destroy(&monotonic);
	while (l->nthreads < threads && l->nthreads < LOAD_THREADS &&
	    pthread_create(&l->threads[l->nthreads], NULL, serve, l) == 0)
		l->nthreads++;
	return l;
}

void
loader_close(struct loader *l)
{
	int i;

	pthread_mutex_lock(&l->lock);
	l->closing = true;
	pthread_cond_broadcast(&l->work);
	pthread_mutex_unlock(&l->lock);
	for (i = 0; i < l->nthreads; i++)
		pthread_join(l->threads[i], NULL);
	pthread_cond_destroy(&l->work);
	pthread_cond_destroy(&l->done);
	pthread_mutex_destroy(&l->lock);
}

int
loader_threads(const struct loader *l)
{
	return l->nthreads;
}

int
loader_pending(struct loader *l)
{
	int n;

	pthread_mutex_lock(&l->lock);
	n = l->pending;
	pthread_mutex_unlock(&l->lock);
	return n;
}

double
loader_seconds(struct loader *l)
{
	double seconds;

	pthread_mutex_lock(&l->lock);
	seconds = l->seconds / (l->nthreads ? l->nthreads : 1);
	pthread_mutex_unlock(&l->lock);
	return seconds;
}

void
loader_add(struct loader *l, struct trial *t)
{
	pthread_mutex_lock(&l->lock);
	t->load = LOAD_QUEUED;
	t->before = l->last;
	t->after = NULL;
	*(l->last ? &l->last->after : &l->first) = t;
	l->last = t;
	l->pending++;
	pthread_cond_signal(&l->work);
	pthread_mutex_unlock(&l->lock);
}

static struct timespec
soon(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	t.tv_nsec += (long)(SIGN_SECONDS * 1e9);
	if (t.tv_nsec >= 1000000000) {
		t.tv_nsec -= 1000000000;
		t.tv_sec++;
	}
	return t;
}

/* One that no thread has begun is loaded here: there may be no threads. */
bool
loader_wait(struct loader *l, struct trial *t, void (*alive)(void *user),
    void *user, struct err *err)
{
	pthread_mutex_lock(&l->lock);
	if (t->load == LOAD_QUEUED)
		take_and_load(l, t);
	while (t->load == LOAD_RUNNING) {
		struct timespec until = soon();

		pthread_cond_timedwait(&l->done, &l->lock, &until);
		if (t->load == LOAD_RUNNING && alive) {
			pthread_mutex_unlock(&l->lock);
			alive(user);
			pthread_mutex_lock(&l->lock);
		}
	}
	pthread_mutex_unlock(&l->lock);
	if (!t->module)
		*err = t->load_err;
	return t->module != NULL;
}

void
loader_cancel(struct loader *l, struct trial *t)
{
	pthread_mutex_lock(&l->lock);
	if (t->load == LOAD_QUEUED) {
		unlink_trial(l, t);
		t->load = LOAD_NONE;
		l->pending--;
	}
	while (t->load == LOAD_RUNNING)
		pthread_cond_wait(&l->done, &l->lock);
	pthread_mutex_unlock(&l->lock);
}
