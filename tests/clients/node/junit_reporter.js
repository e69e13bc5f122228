// A reporter for `node --test` that writes JUnit's XML, for tests/clients/table.py. Debian 12's node has none.
'use strict';

const escaped = (text) =>
  String(text).replace(/[&<>"\x00-\x08\x0b-\x1f]/g, (letter) => `&#${letter.charCodeAt(0)};`).replace(/&#[0-8];/g, '?');

function caseOf({ name, details }, failed) {
  const [, client, title] = /^([^:]*): (.*)$/.exec(name) || [undefined, 'node', name];
  const seconds = (details.duration_ms / 1000).toFixed(6);
  const failure = failed ? `<failure message="${escaped(details.error && details.error.message)}"/>` : '';
  return `<testcase classname="${escaped(client)}" name="${escaped(title)}" time="${seconds}">${failure}</testcase>\n`;
}

module.exports = async function* junit(source) {
  yield '<?xml version="1.0" encoding="UTF-8"?>\n<testsuites><testsuite name="node">\n';
  for await (const { type, data } of source) {
    if (type === 'test:pass' || type === 'test:fail') yield caseOf(data, type === 'test:fail');
  }
  yield '</testsuite></testsuites>\n';
};
