/* The lock of tests/support/turns.cpp for Spin: the same protocol under the same bound.
 *
 * Clients try CLIENTS x ROUNDS times to take one lock (SET NX PX 2, by a script) and give it back
 * by a script that compares the token, or with GET_THEN_DELETE by GET and DEL. Requests and replies
 * are steps of their own; a clock of TICKS milliseconds ticks between any two of them, but not while
 * a client is about to act on what has arrived. A key with a ttl of 2 ms lives at three instants.
 * A client goes inside if the reply came at most 2 ms after it asked, and is inside for no time.
 *
 * With -DOBSERVE every abstract state is printed once, in the words of reached_states.cpp, and
 * whether two clients were ever inside at once.
 */
#ifndef CLIENTS
#define CLIENTS 2
#endif
#ifndef ROUNDS
#define ROUNDS 1
#endif
#ifndef TICKS
#define TICKS 2
#endif
#ifndef TTL
#define TTL 3 /* Instants at which a new key lives. */
#endif
#define PATIENCE 2
#define TOO_LATE (PATIENCE + 1)

/* Where a client is: what is on its way, or what it is about to do. */
#define FRESH 0
#define ASKING 1
#define ANSWERED 2
#define WON 3
#define INSIDE 4
#define FREEING 5
#define FREED 6
#define READING 7
#define READ 8
#define DELETING 9
#define DELETED 10
#define DONE 11

byte phase[CLIENTS];
byte left[CLIENTS];
byte age[CLIENTS]; /* Milliseconds since it asked, while that matters. */
bit yes[CLIENTS];  /* What the reply on its way says. */
byte holder;       /* 0: nobody; else a token. */
byte ttl;
byte ticks;
byte ready; /* Clients that are about to act: time stands still. */
byte insiders;
bit broken;

/* Of a client in its present round. */
#define TOKEN(i) (1 + (i) * ROUNDS + (ROUNDS - left[i]))

#ifdef OBSERVE
c_decl {
\#include <stdint.h>
\#include <stdio.h>
\#include <stdlib.h>
  extern void observe(void);
}
c_code {
  static uint64_t *seen;
  static size_t seen_slots, seen_count;
  static int was_broken = -1;

  /* Whether the number, which is not 0, is new. */
  static int is_new(uint64_t number)
  {
    size_t i, at;
    if ((seen_count + 1) * 2 > seen_slots) {
      uint64_t *old = seen;
      size_t slots = seen_slots;
      seen_slots = slots == 0 ? 1024 : slots * 2;
      seen = calloc(seen_slots, sizeof *seen);
      seen_count = 0;
      for (i = 0; i < slots; ++i)
        if (old[i] != 0) is_new(old[i]);
      free(old);
    }
    for (at = (number * 0x9e3779b97f4a7c15u >> 20) & (seen_slots - 1); seen[at] != 0;
         at = (at + 1) & (seen_slots - 1))
      if (seen[at] == number) return 0;
    seen[at] = number;
    ++seen_count;
    return 1;
  }

  void observe(void)
  {
    static const char *const words[] = {"fresh", "asking",  "answered", "won",      "inside",  "freeing",
                                        "freed", "reading", "read",     "deleting", "deleted", "done"};
    uint64_t number = 1;
    int i;
    for (i = 0; i < CLIENTS; ++i) {
      if (now.phase[i] == 3) return; /* Its next step is part of the one before, to others. */
      number = (number * 12 + now.phase[i]) * (ROUNDS + 1) + now.left[i];
    }
    number = ((number * (CLIENTS * ROUNDS + 1) + now.holder) * (TTL + 1) + now.ttl) * (TICKS + 1) + now.ticks;
    if (now.broken && was_broken != 1) printf("state two were inside at once\n"), was_broken = 1;
    if (!is_new(number)) return;
    printf("state at %d", now.ticks);
    if (now.holder == 0)
      printf(", free");
    else
      printf(", held by %d:%d for %d", (now.holder - 1) / ROUNDS, (now.holder - 1) % ROUNDS, now.ttl);
    for (i = 0; i < CLIENTS; ++i) printf(", %s %d", words[now.phase[i]], now.left[i]);
    printf("\n");
  }
}
#define SHOW c_code { observe(); }
#else
#define SHOW skip
#endif

inline next_round(i) {
  left[i]--;
  yes[i] = 0;
  age[i] = 0;
  if
  :: left[i] == 0 -> phase[i] = DONE
  :: else -> phase[i] = ASKING
  fi
}

inline start_freeing(i) {
  yes[i] = 0;
  age[i] = 0;
#ifdef GET_THEN_DELETE
  phase[i] = READING
#else
  phase[i] = FREEING
#endif
}

proctype client(byte i) {
  d_step { phase[i] == FRESH -> phase[i] = ASKING; SHOW };
  do
  :: d_step { phase[i] == ASKING ->
       if
       :: holder == 0 -> holder = TOKEN(i); ttl = TTL; yes[i] = 1
       :: else -> yes[i] = 0
       fi;
       phase[i] = ANSWERED; SHOW }
  :: d_step { phase[i] == ANSWERED ->
       if
       :: !yes[i] -> next_round(i)
       :: yes[i] && age[i] == TOO_LATE -> start_freeing(i)
       :: else -> phase[i] = WON; ready++
       fi;
       SHOW }
  :: d_step { phase[i] == WON -> phase[i] = INSIDE; broken = broken || insiders > 0; insiders++; SHOW }
  :: d_step { phase[i] == INSIDE -> ready--; insiders--; start_freeing(i); SHOW }
  :: d_step { phase[i] == FREEING ->
       if
       :: holder == TOKEN(i) -> holder = 0; ttl = 0
       :: else
       fi;
       phase[i] = FREED; SHOW }
  :: d_step { phase[i] == FREED -> next_round(i); SHOW }
  :: d_step { phase[i] == READING -> yes[i] = (holder == TOKEN(i)); phase[i] = READ; SHOW }
  :: d_step { phase[i] == READ ->
       if
       :: yes[i] -> phase[i] = DELETING
       :: else -> next_round(i)
       fi;
       SHOW }
  :: d_step { phase[i] == DELETING -> yes[i] = 0; holder = 0; ttl = 0; phase[i] = DELETED; SHOW }
  :: d_step { phase[i] == DELETED -> next_round(i); SHOW }
  :: phase[i] == DONE -> break
  od
}

proctype clock() {
  byte i;
  do
  :: d_step { ready == 0 && ticks < TICKS ->
       ticks++;
       if
       :: ttl > 0 -> ttl--
       :: else
       fi;
       if
       :: ttl == 0 -> holder = 0
       :: else
       fi;
       i = 0;
       do
       :: i < CLIENTS ->
          if
          :: (phase[i] == ASKING || phase[i] == ANSWERED) && age[i] < TOO_LATE -> age[i]++
          :: else
          fi;
          i++
       :: else -> break
       od;
       i = 0; SHOW }
  :: ticks == TICKS -> break
  od
}

init {
  byte i;
  atomic {
    do
    :: i < CLIENTS -> left[i] = ROUNDS; run client(i); i++
    :: else -> break
    od;
    SHOW;
    run clock()
  }
}
