/// A transport that passes requests to another one, and that can stream only if the other one can.
package protocol WrappingTransport: StreamingTransport {
    /// The transport that sends the requests.
    var base: any Transport { get }
}

extension Transport {
    /// Whether the parts of a response are delivered as they arrive, instead of when the response is complete.
    package var deliversParts: Bool {
        if let wrapping = self as? any WrappingTransport { return wrapping.base.deliversParts }
        return self is any StreamingTransport
    }
}
