// Starts picklock-server for a test, moves its clock and has requests go wrong. Needs no package:
//
//   const server = await picklock.start({ clock: 'offset' });
//   const client = new Redis(server.port);          // ioredis, node-redis...
//   await server.advance(1501);
//   await server.stop();
//
// PICKLOCK_SERVER in the environment names the program if it is not on the PATH.
'use strict';

const { spawn } = require('node:child_process');
const net = require('node:net');
const readline = require('node:readline');

// A test that fails before its stop() leaves no server behind.
const running = new Set();
process.on('exit', () => running.forEach((child) => child.kill()));

/** One connection that speaks RESP2: enough for commands that steer the server. */
class Connection {
  constructor(port, host) {
    this.socket = net.connect(port, host);
    this.socket.setNoDelay(true);
    this.bytes = Buffer.alloc(0);
    this.waiting = [];
    this.socket.unref();
    this.socket.on('data', (data) => this.received(data));
    this.socket.on('error', (error) => this.broken(error));
    this.socket.on('close', () => this.broken(new Error('picklock-server has closed the connection')));
  }

  call(...words) {
    const parts = words.map((word) => (Buffer.isBuffer(word) ? word : Buffer.from(String(word))));
    const request = [Buffer.from(`*${parts.length}\r\n`)];
    for (const part of parts) request.push(Buffer.from(`$${part.length}\r\n`), part, Buffer.from('\r\n'));
    return new Promise((resolve, reject) => {
      if (this.failure) return reject(this.failure);
      this.waiting.push({ resolve, reject });
      this.socket.ref(); // Only who waits for an answer keeps the process alive: a test that fails must end.
      this.socket.write(Buffer.concat(request));
    });
  }

  close() {
    this.socket.destroy();
  }

  broken(error) {
    this.failure = this.failure || error;
    for (const { reject } of this.waiting.splice(0)) reject(this.failure);
  }

  received(data) {
    this.bytes = Buffer.concat([this.bytes, data]);
    for (;;) {
      const read = this.read(0);
      if (!read) return;
      this.bytes = this.bytes.subarray(read.end);
      const { resolve, reject } = this.waiting.shift();
      if (!this.waiting.length) this.socket.unref();
      if (read.value instanceof Error) reject(read.value);
      else resolve(read.value);
    }
  }

  // The value at `start` and where it ends; undefined if it is not whole yet.
  read(start) {
    const lineEnd = this.bytes.indexOf('\r\n', start);
    if (lineEnd < 0) return undefined;
    const text = this.bytes.toString('utf8', start + 1, lineEnd);
    let end = lineEnd + 2;
    switch (String.fromCharCode(this.bytes[start])) {
      case '+':
        return { value: text, end };
      case '-':
        return { value: new Error(text), end };
      case ':':
        return { value: Number(text), end };
      case '$': {
        const size = Number(text);
        if (size < 0) return { value: null, end };
        if (this.bytes.length < end + size + 2) return undefined;
        return { value: this.bytes.toString('utf8', end, end + size), end: end + size + 2 };
      }
      default: {
        const size = Number(text);
        if (size < 0) return { value: null, end };
        const values = [];
        for (let i = 0; i < size; ++i) {
          const element = this.read(end);
          if (!element) return undefined;
          values.push(element.value);
          end = element.end;
        }
        return { value: values, end };
      }
    }
  }
}

/** A picklock-server of its own. All times are milliseconds. */
class Server {
  constructor(child, host, port, ports = {}, password = undefined) {
    this.child = child;
    this.host = host;
    this.port = port;
    /** Those of further servers and of the sentinel, by name. */
    this.ports = ports;
    this.password = password;
    this.connect();
  }

  connect() {
    this.control = new Connection(this.port, this.host);
    if (this.password !== undefined) this.control.call('AUTH', this.password).catch(() => {});
  }

  /** Any command, on the connection of its own that steers the server. */
  call(...words) {
    // A test may have closed it, by CLIENT KILL or PICKLOCK RESTORE on another one.
    if (this.control.failure || this.control.socket.readableEnded) this.connect();
    return this.control.call(...words);
  }
  /** Lets time pass; returns the new time. */
  advance(milliseconds) {
    return this.call('PICKLOCK', 'ADVANCE', milliseconds);
  }
  now() {
    return this.call('PICKLOCK', 'NOW');
  }
  setTime(unixMilliseconds) {
    return this.call('PICKLOCK', 'SET-TIME', unixMilliseconds);
  }
  /** Goes to the next event; null if nothing is pending. */
  next() {
    return this.call('PICKLOCK', 'NEXT');
  }
  /** Waits until so many clients are blocked. */
  waitBlocked(clients = 1, timeout = 5000) {
    return this.call('PICKLOCK', 'BLOCKED', 'MIN', clients, 'TIMEOUT', timeout);
  }
  /** Has the next request that fits go wrong: fault(['DROP-REPLY'], { command: 'set', nth: 2 }). */
  fault(what, conditions = {}) {
    const words = Object.entries(conditions).flatMap(([name, value]) => [name.toUpperCase(), value]);
    return this.call('PICKLOCK', 'FAULT', 'ADD', ...[].concat(what), ...words);
  }
  /** One of several servers: node('PROMOTE', 'r1'); see PICKLOCK HELP. */
  node(what, ...words) {
    return this.call('PICKLOCK', 'NODE', what, ...words);
  }
  clearFaults() {
    return this.call('PICKLOCK', 'FAULT', 'CLEAR');
  }
  /** As if it had just been started; connections stay. */
  reset() {
    return this.call('PICKLOCK', 'RESET');
  }
  trace(lines = 20) {
    return this.call('PICKLOCK', 'TRACE', lines);
  }
  /** Stops the server; resolves to its exit code. */
  stop() {
    this.control.close();
    if (!running.has(this.child)) return Promise.resolve(this.child.exitCode);
    this.child.ref();
    return new Promise((resolve) => {
      this.child.once('exit', resolve);
      this.child.kill('SIGTERM');
    });
  }
}

/**
 * Starts a server on a free port; options are those of the command line: { seed: 7, autoAdvance: true }; a list gives one
 * several times: { replica: ['r1', 'r2'] }.
 */
function start(options = {}) {
  const program = options.program || process.env.PICKLOCK_SERVER || 'picklock-server';
  const words = [];
  for (const [name, values] of Object.entries({ port: 0, ...options })) {
    if (name === 'program' || values === false) continue;
    for (const value of [].concat(values)) {
      words.push('--' + name.replace(/[A-Z]/g, (letter) => '-' + letter.toLowerCase()));
      if (value !== true) words.push(String(value));
    }
  }
  const child = spawn(program, words, { stdio: ['ignore', 'pipe', 'inherit'] });
  running.add(child);
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code) => {
      running.delete(child);
      reject(new Error(`picklock-server ended with ${code}`));
    });
    const lines = readline.createInterface({ input: child.stdout });
    lines.once('line', (ready) => {
      const found = / ready on \[?(\S+?)\]?:(\d+) /.exec(ready);
      if (!found) {
        child.kill();
        return reject(new Error('picklock-server did not start: ' + ready));
      }
      child.unref();
      child.stdout.unref();
      const ports = Object.fromEntries([...ready.matchAll(/, (\S+) on (\d+)/g)].map(([, name, port]) => [name, Number(port)]));
      resolve(new Server(child, found[1], Number(found[2]), ports, options.requirepass));
    });
  });
}

module.exports = { start, Server, Connection };
