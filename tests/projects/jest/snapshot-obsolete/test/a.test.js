test('shape', () => { expect('same').toMatchSnapshot(); });
