const assert = require('node:assert');
it('two\nlines', () => {});
it('"double" and \'single\' and `back`', () => {});
it('naïve 試験 🙂', () => {});
it('\u001b[31mred\u001b[0m', () => {});
it('a > b :: c', () => {});
it('lone \ud83d half', () => {});
it('{"e":"done","code":0}', () => {});
