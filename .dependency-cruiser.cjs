// The import rules: imports go down only, the core is pure, and each outside package has its place.
// The layers are those of README.md, "Layout"; why swc parses is in docs/adr/0003.

// swc's visitor does not know `using` yet and throws; what it declares is like any other variable.
const { Visitor } = require('@swc/core/Visitor.js');
const { visitStatement } = Visitor.prototype;
Visitor.prototype.visitStatement = function (statement) {
  if (statement.type !== 'UsingDeclaration') return visitStatement.call(this, statement);
  this.visitVariableDeclarators(statement.decls);
  return statement;
};

const layers = [
  ['util', 'schema', 'envoy-api'],
  ['apis', 'k8s', 'config'],
  ['kubernetes-cache'],
  ['dag', 'status', 'envoy', 'xdscache', 'xds'],
  ['pipeline'],
  ['controller-runtime', 'controllers', 'provider', 'provisioner', 'server', 'telemetry'],
];

const test = '[.]test[.]ts$|/testdata/';
const pkg = (names) => `^pkg/(${names.join('|')})/`;
const core = pkg(layers.slice(0, 5).flat());
const npm = (name) => `(^|/)node_modules/${name}/`;

// A package of layer n imports no package of a layer above n. Tests may: they drive a part through the whole.
const downOnly = layers.slice(0, -1).map((names, level) => ({
  name: `layer-${level}-imports-down`,
  comment: `Layer ${level} (${names.join(', ')}) imports a layer above it.`,
  severity: 'error',
  from: { path: pkg(names), pathNot: test },
  to: { path: [pkg(layers.slice(level + 1).flat()), '^(cmd|test|hack)/'] },
}));

/** An outside package that only some places may import. Tests may everywhere. */
const onlyFrom = (name, dependency, places) => ({
  name,
  comment: `${dependency} is imported outside of ${places.join(', ')}.`,
  severity: 'error',
  from: { path: '^(pkg|cmd)/', pathNot: [...places, test] },
  to: { path: npm(dependency) },
});

module.exports = {
  forbidden: [
    ...downOnly,
    {
      name: 'product-needs-no-tests',
      comment: 'Code that ships imports tests or scripts.',
      severity: 'error',
      from: { path: '^(pkg|cmd)/', pathNot: test },
      to: { path: ['^(test|hack)/', test] },
    },
    {
      name: 'cmd-is-the-top',
      comment: 'Only cmd reads arguments and environment; nothing imports it.',
      severity: 'error',
      from: { path: '^pkg/', pathNot: test },
      to: { path: '^cmd/' },
    },
    {
      name: 'no-cycles',
      comment: 'Modules import one another in a circle, if only for types.',
      severity: 'error',
      from: { pathNot: '^pkg/envoy-api/' },
      to: { circular: true },
    },
    {
      name: 'core-uses-no-node',
      comment: 'Layers 0 to 4 are functions over values: no files, no sockets, no clock.',
      severity: 'error',
      from: { path: core, pathNot: test },
      to: { dependencyTypes: ['core'] },
    },
    {
      name: 'core-does-no-io',
      comment: 'Layers 0 to 4 know no cluster, no gRPC and no metrics.',
      severity: 'error',
      from: { path: core, pathNot: test },
      to: { path: ['@kubernetes/client-node', '@grpc/grpc-js', 'prom-client', 'pino'].map(npm) },
    },
    onlyFrom('client-node-has-its-place', '@kubernetes/client-node', ['^pkg/controller-runtime/(client|cache|leaderelection)/']),
    onlyFrom('grpc-has-its-place', '@grpc/grpc-js', ['^pkg/server/']),
    onlyFrom('x509-has-its-place', '@peculiar/x509', ['^pkg/server/certgen[.]ts$']),
    onlyFrom('rxjs-has-its-place', 'rxjs', [
      '^pkg/kubernetes-cache/changes[.]ts$',
      '^pkg/controllers/',
      '^pkg/provider/',
      '^pkg/controller-runtime/source/',
    ]),
    {
      name: 'processors-are-apart',
      comment: 'A processor imports another; what two of them need belongs into dag/policy.',
      severity: 'error',
      from: { path: '^pkg/dag/processors/([^/]+)/', pathNot: test },
      to: { path: '^pkg/dag/processors/', pathNot: '^pkg/dag/processors/$1/' },
    },
    {
      name: 'controller-runtime-is-general',
      comment: 'controller-runtime knows nothing of gateways: of this project it uses util, and what every object has.',
      severity: 'error',
      from: { path: '^pkg/controller-runtime/', pathNot: test },
      to: { path: '^(pkg|cmd)/', pathNot: ['^pkg/(controller-runtime|util)/', '^pkg/apis/meta[.]ts$'] },
    },
    {
      name: 'no-unresolvable',
      comment: 'An import leads nowhere. (Is pkg/envoy-api generated?)',
      severity: 'error',
      from: {},
      to: { couldNotResolve: true },
    },
    {
      name: 'ships-with-its-packages',
      comment: 'Code that ships imports a development package.',
      severity: 'error',
      from: { path: '^(pkg|cmd)/', pathNot: test },
      to: { dependencyTypes: ['npm-dev', 'npm-no-pkg', 'npm-unknown'] },
    },
  ],
  options: {
    parser: 'swc',
    doNotFollow: { path: ['node_modules', '^pkg/envoy-api/'] },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'node', 'default', 'types'],
      extensions: ['.ts', '.js', '.cjs', '.mjs'],
    },
  },
};
