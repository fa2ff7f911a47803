import CMicrohttpd
import LatchkeyServerKit
import LatchkeyWire

extension Daemon {
    /// Validates a request's header.
    ///
    /// If the request is refused, the response is sent immediately and the library stops reading.
    func receiveHead(
        _ connection: Connection,
        handle: OpaquePointer,
        method: UnsafePointer<CChar>,
        version: UnsafePointer<CChar>
    ) -> MHD_Result {
        do throws(Refusal) {
            guard let target = connection.incoming.target else {
                throw .malformed("The request has no request target.")
            }
            let head = try RequestHead(
                of: handle,
                method: method,
                target: target,
                version: version,
                configuration: configuration
            )
            connection.incoming.request = head.request
            connection.incoming.isVersion10 = head.isVersion10
            if let length = head.bodyLength {
                if length > 0 { connection.incoming.request?.body.reserveCapacity(length) }
            }
            if head.bodyLength != 0 { connection.enter(.body) }
            return .YES
        } catch {
            connection.enter(.answering)
            connection.incoming.lingers = true
            return connection.queue(error.response, on: handle)
        }
    }

    /// Appends a chunk of the body.
    ///
    /// A body that exceeds the limit is rejected.
    func receiveBody(_ connection: Connection, part: UnsafeRawBufferPointer) -> MHD_Result {
        let size = connection.incoming.request?.body.count ?? 0
        guard size + part.count <= configuration.bodyLimit else {
            // Only chunked bodies can exceed the limit at this point. The library cannot send a response
            // while it is receiving a body.
            connection.sendDirectly(.bodyTooLarge)
            return .NO
        }
        connection.incoming.request?.body.append(contentsOf: part)
        return .YES
    }

    /// Calls the handler.
    ///
    /// If the handler suspends, this method suspends the connection and returns `nil`.
    func run(_ connection: Connection, exchange: UInt64) -> HTTP.Response? {
        guard let request = connection.incoming.request else { return Refusal.malformed("").response }
        connection.incoming.request?.body = []
        let (handler, peer) = (handler, connection.peer)
        if #available(macOS 26, *) {
            // The task starts on this thread, so a handler that does not suspend has finished when this call
            // returns.
            let task = Task.immediate {
                connection.finish(await handler.respond(to: request, from: peer), exchange: exchange)
            }
            return connection.takeOrSuspend(task)
        }
        let task = Task {
            connection.finish(await handler.respond(to: request, from: peer), exchange: exchange)
        }
        return connection.takeOrSuspend(task)
    }
}
