// Where a scenario of a cluster client runs: on three nodes of picklock-server, and on three redis-servers. Used by
// ioredis_cluster.test.js.
'use strict';

const { execFileSync, spawn } = require('node:child_process');
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const { after, test } = require('node:test');
const picklock = require('./picklock.js');
const { answers, freePorts, until } = require('./places.js');

const kNodes = 3;

/** Three nodes, and a connection to each. */
class ClusterPlace {
  constructor(name, ports) {
    this.name = name;
    this.ports = ports;
    this.nodes = ports.map((port) => ({ host: '127.0.0.1', port }));
    this.controls = ports.map((port) => new picklock.Connection(port, '127.0.0.1'));
    this.ends = [];
  }
  keep(client, end) {
    this.ends.unshift(end);
    return client;
  }
  /** A command for one node, from 0. */
  call(node, ...words) {
    return this.controls[node].call(...words);
  }
  id(node) {
    return this.call(node, 'CLUSTER', 'MYID');
  }
  /** Opens the slot: its keys go from one node to another. */
  async openSlot(slot, from, to) {
    await this.call(to, 'CLUSTER', 'SETSLOT', slot, 'IMPORTING', await this.id(from));
    await this.call(from, 'CLUSTER', 'SETSLOT', slot, 'MIGRATING', await this.id(to));
  }
  /** Tells everybody who has the slot, the new owner first. */
  async giveSlot(slot, to) {
    const id = await this.id(to);
    for (const node of [to, ...this.controls.keys()]) await this.call(node, 'CLUSTER', 'SETSLOT', slot, 'NODE', id);
  }
  async clear() {
    for (const node of this.controls.keys()) {
      await this.call(node, 'FLUSHALL');
      await this.call(node, 'SCRIPT', 'FLUSH');
    }
  }
  async leave() {
    for (const end of this.ends.splice(0)) await end();
  }
  async stop() {
    for (const control of this.controls) control.close();
    await this.end();
  }
}

async function startPicklock() {
  const server = await picklock.start({ clusterNodes: kNodes });
  const ports = Array.from({ length: kNodes }, (_, i) => server.port + i);
  return Object.assign(new ClusterPlace('picklock', ports), { end: () => server.stop() });
}

async function startRedis() {
  const directory = fs.mkdtempSync(path.join(os.tmpdir(), 'picklock-cluster-'));
  const free = await freePorts(2 * kNodes);
  const ports = free.slice(0, kNodes);
  const children = [];
  for (let i = 0; i < kNodes; ++i) {
    const words = ['--port', ports[i], '--bind', '127.0.0.1', '--cluster-port', free[kNodes + i], '--cluster-enabled', 'yes',
      '--cluster-config-file', `nodes-${i}.conf`, '--save', ''];
    children.push(spawn('redis-server', words.map(String), { stdio: 'ignore', cwd: directory }));
  }
  for (const port of ports) await until(() => answers(port));
  execFileSync('redis-cli', ['--cluster', 'create', ...ports.map((port) => `127.0.0.1:${port}`), '--cluster-yes'],
    { stdio: 'ignore' });
  const place = new ClusterPlace('redis', ports);
  for (const node of place.controls.keys())
    await until(async () => (await place.call(node, 'CLUSTER', 'INFO')).includes('cluster_state:ok'));
  const end = async () => {
    for (const child of children) {
      const ended = new Promise((resolve) => child.once('exit', resolve));
      child.kill('SIGKILL');
      await ended;
    }
    fs.rmSync(directory, { recursive: true });
  };
  return Object.assign(place, { end });
}

/** scenario(title, body): runs body(place) on both places. */
function clusterScenariosOf(client) {
  const started = {};
  const starters = { picklock: startPicklock, redis: startRedis };
  after(async () => {
    setTimeout(() => process.exit(), 3000).unref();
    for (const place of Object.values(started)) await place.stop();
  });
  return (title, body) => {
    for (const name of Object.keys(starters)) {
      test(`${client}: ${title} [${name}]`, { timeout: 20_000 }, async () => {
        started[name] = started[name] || (await starters[name]());
        await started[name].clear();
        try {
          await body(started[name]);
        } finally {
          await started[name].leave();
        }
      });
    }
  };
}

module.exports = { clusterScenariosOf };
