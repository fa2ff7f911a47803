import CGio
import LatchkeyCore

/// A private connection to a message bus that is used for a single operation.
///
/// We can't use GLib's shared connection, because GLib terminates the process if that connection is lost, and
/// because it stays connected to a bus that has been replaced. Opening a new connection takes about a
/// millisecond.
final class BusConnection {
    private let connection: OpaquePointer
    private let deadline: Deadline

    /// Connects to the bus and authenticates.
    ///
    /// Connecting blocks the current thread.
    ///
    /// - Throws: `SessionStoreError` if the bus does not respond before the deadline.
    init(_ bus: SessionBus, deadline: Deadline) throws(SessionStoreError) {
        var error: UnsafeMutablePointer<GError>?
        let flags = GDBusConnectionFlags(
            rawValue: G_DBUS_CONNECTION_FLAGS_AUTHENTICATION_CLIENT.rawValue
                | G_DBUS_CONNECTION_FLAGS_MESSAGE_BUS_CONNECTION.rawValue
        )
        let connection = g_dbus_connection_new_for_address_sync(
            bus.address,
            flags,
            nil,
            deadline.cancellable,
            &error
        )
        guard let connection else { throw SessionStoreError(consuming: error, subject: "The session bus") }
        self.connection = connection
        self.deadline = deadline
    }

    deinit {
        g_dbus_connection_close(connection, nil, nil, nil)
        g_object_unref(UnsafeMutableRawPointer(connection))
    }

    /// The maximum number of times to call a method when the service claims that it does not exist.
    private static let attempts = 20

    /// Calls a Secret Service method and blocks the thread until the reply arrives.
    ///
    /// Under load, gnome-keyring rejects some calls with "unknown method". A rejected call has no effect, so
    /// we repeat the call every 5 ms, up to 20 times.
    ///
    /// - Parameters:
    ///   - method: The name of the method.
    ///   - interface: The method's D-Bus interface.
    ///   - path: The object path to call the method on.
    ///   - parameters: The arguments of the call.
    ///   - type: The D-Bus signature of the reply. A reply with a different type is an error.
    /// - Returns: The reply, which is a tuple of the given type.
    /// - Throws: `SessionStoreError`. The code is `locked` if the service reports a locked item or
    ///   collection.
    func call(
        _ method: String,
        of interface: String,
        at path: String,
        parameters: [Variant],
        returning type: String
    ) throws(SessionStoreError) -> Variant {
        var error: UnsafeMutablePointer<GError>?
        let kind = g_variant_type_new(type)
        defer { g_variant_type_free(kind) }
        let arguments = Variant.tuple(parameters)
        for attempt in 1...Self.attempts {
            let answer = g_dbus_connection_call_sync(
                connection,
                SecretService.name,
                path,
                interface,
                method,
                arguments.pointer,
                kind,
                G_DBUS_CALL_FLAGS_NONE,
                deadline.milliseconds,
                deadline.cancellable,
                &error
            )
            if let answer { return Variant(answer) }
            let unknown = Int32(G_DBUS_ERROR_UNKNOWN_METHOD.rawValue)
            guard attempt < Self.attempts, g_error_matches(error, g_dbus_error_quark(), unknown) != 0 else {
                break
            }
            g_clear_error(&error)
            g_usleep(5000)
        }
        throw SessionStoreError(consuming: error, subject: "The Secret Service")
    }
}

extension SessionStoreError {
    /// Creates an error from a GLib error and frees the GLib error.
    ///
    /// The `subject` parameter becomes the grammatical subject of the message.
    init(consuming error: UnsafeMutablePointer<GError>?, subject: String) {
        guard let error else {
            self.init(.failed, message: "\(subject) failed without giving a reason.")
            return
        }
        defer { g_error_free(error) }
        if let name = g_dbus_error_get_remote_error(error) {
            defer { g_free(name) }
            let remote = String(cString: name)
            g_dbus_error_strip_remote_error(error)
            let isLocked = remote == "org.freedesktop.Secret.Error.IsLocked"
            self.init(
                isLocked ? .locked : .failed,
                message: "\(subject) returned an error: \(String(cString: error.pointee.message))"
            )
        } else {
            self.init(
                .failed,
                message: "\(subject) cannot be reached: \(String(cString: error.pointee.message))"
            )
        }
    }
}
