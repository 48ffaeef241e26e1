import { expect, test } from '@jest/globals';
import { servedHosts } from './hostnames.ts';

test.each([
  { name: 'neither has any', route: [], listener: '', others: [], want: ['*'] },
  { name: 'the listener alone', route: [], listener: '*.A.com', others: [], want: ['*.a.com'] },
  { name: 'the route alone', route: ['X.com', 'x.com', '*.y.com'], listener: '', others: [], want: ['x.com', '*.y.com'] },
  { name: 'equal', route: ['a.com'], listener: 'a.com', others: [], want: ['a.com'] },
  { name: 'equal wildcards', route: ['*.a.com'], listener: '*.a.com', others: [], want: ['*.a.com'] },
  {
    name: 'a name under the wildcard, at any depth',
    route: ['x.a.com', 'x.y.a.com'],
    listener: '*.a.com',
    others: [],
    want: ['x.a.com', 'x.y.a.com'],
  },
  { name: 'the bare domain is not under it', route: ['a.com', 'xa.com', '.a.com'], listener: '*.a.com', others: [], want: [] },
  { name: 'a wildcard over the listener', route: ['*.com'], listener: 'a.com', others: [], want: ['a.com'] },
  { name: 'a narrower wildcard', route: ['*.b.a.com'], listener: '*.a.com', others: [], want: ['*.b.a.com'] },
  { name: 'nothing in common', route: ['b.com'], listener: 'a.com', others: [], want: [] },
  { name: 'another listener has the very name', route: ['a.com', 'b.com'], listener: '', others: ['a.com'], want: ['b.com'] },
  { name: 'another has a wildcard over it', route: ['x.a.com', 'b.com'], listener: '', others: ['*.a.com'], want: ['b.com'] },
  { name: 'another has a longer wildcard', route: ['x.b.a.com', 'x.a.com'], listener: '*.a.com', others: ['*.b.a.com'], want: ['x.a.com'] },
  { name: 'another has a shorter wildcard', route: ['x.b.a.com'], listener: '*.b.a.com', others: ['*.a.com', ''], want: ['x.b.a.com'] },
  { name: 'the very name beats every wildcard', route: ['x.a.com'], listener: 'x.a.com', others: ['*.a.com'], want: ['x.a.com'] },
])('$name', ({ route, listener, others, want }) => {
  expect(servedHosts(route, listener, others)).toEqual(want);
});
