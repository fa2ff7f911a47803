import Glibc

/// Where the message bus of the user's desktop session is.
struct SessionBus: Sendable, Equatable {
    let address: String

    init(address: String) {
        self.address = address
    }

    /// The bus that the environment names; nothing when there is none, for none is started here.
    static var current: SessionBus? {
        current { name in
            getenv(name).map { String(cString: $0) }
        } exists: {
            access($0, F_OK) == 0
        }
    }

    static func current(variable: (String) -> String?, exists: (String) -> Bool) -> SessionBus? {
        if let address = variable("DBUS_SESSION_BUS_ADDRESS"), !address.isEmpty {
            return SessionBus(address: address)
        }
        // Where systemd puts it, also for a login without a desktop.
        guard let folder = variable("XDG_RUNTIME_DIR"), folder.hasPrefix("/") else { return nil }
        return exists(folder + "/bus") ? SessionBus(address: "unix:path=" + folder + "/bus") : nil
    }
}
