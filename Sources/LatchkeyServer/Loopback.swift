/// The addresses of the machine itself.
enum Loopback {
    /// Tells whether an address or name means the machine itself.
    static func contains(_ host: String) -> Bool {
        host == "localhost" || host == "::1" || host.hasPrefix("127.") || host.hasPrefix("::ffff:127.")
    }
}
