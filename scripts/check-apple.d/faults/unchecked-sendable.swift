// A public type that does not say whether it is `Sendable`.
public struct Amount {}  // fault: public struct 'Amount' does not specify whether it is 'Sendable' or not
