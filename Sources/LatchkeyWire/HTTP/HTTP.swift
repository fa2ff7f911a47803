/// A namespace for the HTTP types that transports and handlers use (RFC 9110).
public enum HTTP: Sendable {}
