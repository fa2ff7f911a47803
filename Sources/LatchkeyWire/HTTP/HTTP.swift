/// The namespace of the HTTP messages that transports and handlers exchange (RFC 9110).
public enum HTTP: Sendable {}
