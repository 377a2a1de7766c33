const test = require('node:test');
const { describe, it } = test;
test('adds', () => {});
describe('cart', () => { it('is empty', () => {}); it('holds', () => {}); });
