test('two\nlines', () => {});
test('"double" and \'single\' and `back`', () => {});
test('naïve 試験 🙂', () => {});
test('\u001b[31mred\u001b[0m', () => {});
test('a > b :: c', () => {});
test('lone \ud83d half', () => {});
test('{"e":"done","code":0}', () => {});
