import CMicrohttpd
import CMicrohttpdShim
import LatchkeyWire

// The library calls these functions on its own threads. The functions are global because a closure in an
// isolated context would inherit the isolation and trap on those threads.

/// Called after a connection is opened and before it is closed.
func connectionChanged(
    context: UnsafeMutableRawPointer?,
    handle: OpaquePointer?,
    slot: UnsafeMutablePointer<UnsafeMutableRawPointer?>?,
    code: MHD_ConnectionNotificationCode
) {
    guard let daemon = daemon(context), let handle, let slot else { return }
    if code == .CONNECTION_NOTIFY_STARTED {
        let connection = Connection(handle)
        slot.pointee = Unmanaged.passRetained(connection).toOpaque()
        daemon.registry.insert(connection)
    } else if let pointer = slot.pointee {
        slot.pointee = nil
        let connection = Unmanaged<Connection>.fromOpaque(pointer).takeRetainedValue()
        daemon.registry.remove(connection)
        if let copy = connection.lingeringDescriptor() { daemon.lingering.add(copy) }
    }
}

/// Called when the request line has been read.
func beginRequest(
    context: UnsafeMutableRawPointer?,
    target: UnsafePointer<CChar>?,
    handle: OpaquePointer?
) -> UnsafeMutableRawPointer? {
    let pointer = latchkey_mhd_context(handle)
    if let connection = connection(pointer) {
        connection.enter(.head)
        connection.incoming.target = target.map(RequestTarget.init)
    }
    return pointer
}

/// Called when the header has been read, then for each chunk of the body, and then for the complete request.
///
/// For a complete request, this function is called once to run the handler. If the handler suspends, it is
/// called again to send the response.
func answerRequest(
    context: UnsafeMutableRawPointer?,
    handle: OpaquePointer?,
    url: UnsafePointer<CChar>?,
    method: UnsafePointer<CChar>?,
    version: UnsafePointer<CChar>?,
    body: UnsafePointer<CChar>?,
    bodySize: UnsafeMutablePointer<Int>?,
    slot: UnsafeMutablePointer<UnsafeMutableRawPointer?>?
) -> MHD_Result {
    guard
        let daemon = daemon(context), let connection = connection(slot?.pointee),
        let handle, let method, let version, let bodySize
    else { return .NO }
    // The socket was taken over, so the library closes the placeholder.
    guard !connection.isDetached else { return .NO }

    if connection.incoming.request == nil {
        return daemon.receiveHead(connection, handle: handle, method: method, version: version)
    }
    if bodySize.pointee > 0 {
        let part = UnsafeRawBufferPointer(start: body, count: bodySize.pointee)
        bodySize.pointee = 0
        return daemon.receiveBody(connection, part: part)
    }
    switch connection.nextStep() {
    case .wait:
        return .YES
    case .send(let response):
        return daemon.send(response, on: connection, handle: handle)
    case .run(let exchange):
        guard let response = daemon.run(connection, exchange: exchange) else { return .YES }
        return daemon.send(response, on: connection, handle: handle)
    }
}

/// Called when the library itself rejects a request.
func refuseRequest(handle: OpaquePointer?, status: UInt32) {
    guard let connection = connection(latchkey_mhd_context(handle)) else { return }
    connection.sendDirectly(.rejectedByLibrary(status: Int(status)))
    connection.finishSending()
}

/// Called at the end of a request, even if no response was sent.
func completeRequest(
    context: UnsafeMutableRawPointer?,
    handle: OpaquePointer?,
    slot: UnsafeMutablePointer<UnsafeMutableRawPointer?>?,
    code: MHD_RequestTerminationCode
) {
    guard let connection = connection(slot?.pointee) else { return }
    if code != .REQUEST_TERMINATED_COMPLETED_OK { connection.incoming.lingers = true }
    connection.complete()
}

/// Called when the client can receive more of a streamed body.
func readStreamedBody(
    context: UnsafeMutableRawPointer?,
    position: UInt64,
    buffer: UnsafeMutablePointer<CChar>?,
    capacity: Int
) -> Int {
    guard let context else { return -2 }
    let body = Unmanaged<StreamedBody>.fromOpaque(context).takeUnretainedValue()
    return body.read(into: UnsafeMutableRawBufferPointer(start: buffer, count: capacity))
}

/// Called when a streamed body was sent completely or sending it was aborted.
func releaseStreamedBody(context: UnsafeMutableRawPointer?) {
    guard let context else { return }
    Unmanaged<StreamedBody>.fromOpaque(context).takeRetainedValue().close()
}

private func daemon(_ pointer: UnsafeMutableRawPointer?) -> Daemon? {
    pointer.map { Unmanaged<Daemon>.fromOpaque($0).takeUnretainedValue() }
}

private func connection(_ pointer: UnsafeMutableRawPointer?) -> Connection? {
    pointer.map { Unmanaged<Connection>.fromOpaque($0).takeUnretainedValue() }
}
