const test = require('node:test');
const assert = require('node:assert');
test('adds', () => { assert.strictEqual(1 + 1, 2); });
test('multiplies wrongly', () => { assert.strictEqual(2 * 3, 7); });
test('skipped one', { skip: 'no printer' }, () => {});
test('known bug', { todo: 'fix it' }, () => { throw new Error('known'); });
test('suite', async (t) => {
  await t.test('inner ok', () => {});
  await t.test('inner bad', () => { assert.deepStrictEqual({ a: 1 }, { a: 2 }); });
});
test('name with # SKIP inside and \\ slash', () => { console.log('ok 99 - printed by the test'); });
