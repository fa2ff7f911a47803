import CMicrohttpd
import CMicrohttpdShim
import LatchkeyServerCore
import LatchkeyWire

// What the library calls, on its own threads. Functions of the file, not closures: a closure in an isolated context
// would be taken for isolated itself and trap on those threads.

/// A connection was opened or is about to be closed.
func noteConnection(
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

/// The first line of a request was read.
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

/// The header was read; then each part of the body; then the request is complete, once before the handler is asked and
/// once with its answer if it had to wait.
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

    if connection.incoming.request == nil {
        return daemon.receiveHead(connection, handle, method: method, version: version)
    }
    if bodySize.pointee > 0 {
        let part = UnsafeRawBufferPointer(start: body, count: bodySize.pointee)
        bodySize.pointee = 0
        return daemon.receiveBody(connection, part)
    }
    switch connection.nextStep() {
    case .wait:
        return .YES
    case .send(let response):
        return connection.queue(response, on: handle)
    case .run(let exchange):
        guard let response = daemon.run(connection, exchange: exchange) else { return .YES }
        return connection.queue(response, on: handle)
    }
}

/// The library itself finds a request wrong.
func refuseRequest(handle: OpaquePointer?, status: UInt32) {
    guard let connection = connection(latchkey_mhd_context(handle)) else { return }
    connection.sendDirectly(.ofTheLibrary(status: Int(status)))
    connection.finishSending()
}

/// A request is over, whether it was answered or not.
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

private func daemon(_ pointer: UnsafeMutableRawPointer?) -> Daemon? {
    pointer.map { Unmanaged<Daemon>.fromOpaque($0).takeUnretainedValue() }
}

private func connection(_ pointer: UnsafeMutableRawPointer?) -> Connection? {
    pointer.map { Unmanaged<Connection>.fromOpaque($0).takeUnretainedValue() }
}
