import Glibc

/// The address of the user's session bus.
struct SessionBus: Sendable, Equatable {
    let address: String

    init(address: String) {
        self.address = address
    }

    /// The session bus that the environment specifies, or `nil` if there is none.
    ///
    /// Reading this property never starts a session bus.
    static var current: SessionBus? {
        current { name in
            getenv(name).flatMap { String(validatingCString: $0) }
        } exists: {
            access($0, F_OK) == 0
        }
    }

    /// Looks up the address in `DBUS_SESSION_BUS_ADDRESS`, then in `XDG_RUNTIME_DIR`.
    static func current(variable: (String) -> String?, exists: (String) -> Bool) -> SessionBus? {
        if let address = variable("DBUS_SESSION_BUS_ADDRESS"), !address.isEmpty {
            return SessionBus(address: address)
        }
        // The systemd user instance creates this socket even if the user logs in without a desktop
        // environment.
        guard let folder = variable("XDG_RUNTIME_DIR"), folder.hasPrefix("/") else { return nil }
        return exists(folder + "/bus") ? SessionBus(address: "unix:path=" + folder + "/bus") : nil
    }
}
