import CGio
import LatchkeyCore

/// A connection to a message bus of its own, for one operation.
///
/// GLib would share one between all users in the process. That one takes the process down when the bus goes away,
/// and it outlives the bus. A new one costs a millisecond.
final class BusConnection {
    private let connection: OpaquePointer
    private let deadline: Deadline

    /// Connects.
    ///
    /// - Throws: `SessionStoreError` when no bus answers in time.
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
        guard let connection else { throw SessionStoreError(taking: error, "The session bus") }
        self.connection = connection
        self.deadline = deadline
    }

    deinit {
        g_dbus_connection_close(connection, nil, nil, nil)
        g_object_unref(UnsafeMutableRawPointer(connection))
    }

    /// How often a method is called that the service says not to have.
    private static let attempts = 20

    /// Calls a method of the Secret Service and waits for the answer, which has the given type.
    ///
    /// Under load, gnome-keyring answers some calls as if it had no such method. Nothing was done then, so that the call
    /// can be repeated.
    func call(
        _ method: String,
        of interface: String,
        at path: String,
        _ parameters: [Variant],
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
        throw SessionStoreError(taking: error, "The Secret Service")
    }
}

extension SessionStoreError {
    /// What GLib gives as its reason; the reason is freed.
    init(taking error: UnsafeMutablePointer<GError>?, _ who: String) {
        guard let error else {
            self.init(.failed, "\(who) failed without a reason.")
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
                "\(who) refused: \(String(cString: error.pointee.message))"
            )
        } else {
            self.init(.failed, "\(who) cannot be reached: \(String(cString: error.pointee.message))")
        }
    }
}
