extension ServerConfiguration {
    /// What no single setting shows: settings that do not go together.
    var contradictions: [ConfigurationError.Problem] {
        var problems: [ConfigurationError.Problem] = []
        func report(_ key: String, _ message: String) {
            let source = sources[key]?.description ?? "default"
            problems.append(ConfigurationError.Problem(key: key, source: source, message: message))
        }
        if !basePath.isEmpty, !basePath.hasPrefix("/") || basePath.hasSuffix("/") || basePath == "/" {
            report("base_path", "is empty, or begins and does not end with a slash")
        }
        if admin.token == nil, !Loopback.contains(admin.host) {
            report("admin.host", "is not a loopback address, so admin.token must be set")
        }
        if courier.kind == .http, courier.url == nil {
            report("courier.kind", "http needs courier.url")
        }
        if lifespans.provisionalSession > lifespans.session {
            report("sessions.provisional_lifespan", "is longer than sessions.lifespan")
        }
        if limits.longestWait > .zero, limits.firstWait > limits.longestWait {
            report("limits.first_wait", "is longer than limits.longest_wait")
        }
        if port != 0, port == admin.port, host == admin.host {
            report("admin.port", "is the port that clients use")
        }
        return problems
    }
}
