/// A transport that passes requests on to another transport.
///
/// Streaming is only possible if the underlying transport supports it.
package protocol WrappingTransport: StreamingTransport {
    /// The underlying transport.
    var base: any Transport { get }
}

extension Transport {
    /// Whether chunks of a response are delivered as soon as they are received, rather than when the response
    /// is complete.
    package var deliversParts: Bool {
        if let wrapping = self as? any WrappingTransport { return wrapping.base.deliversParts }
        return self is any StreamingTransport
    }
}
