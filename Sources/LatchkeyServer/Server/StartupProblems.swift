/// Collects the problems that keep a server from starting.
///
/// `latchkey config check` reports all of them, and a server that starts fails with all of them.
struct StartupProblems: Sendable {
    /// The problems in the order in which they were found, each with its kind.
    private(set) var all: [(code: IdentityServerError.Code, problem: ConfigurationError.Problem)] = []

    private let configuration: ServerConfiguration
    /// The settings that are known to be invalid, whose values must not be checked any further.
    private let invalid: Set<String>

    /// Creates an empty list.
    ///
    /// - Parameters:
    ///   - configuration: The configuration to check.
    ///   - found: Problems that were found while the configuration was loaded. The affected settings have
    ///     their default values.
    init(_ configuration: ServerConfiguration, found: [ConfigurationError.Problem] = []) {
        self.configuration = configuration
        invalid = Set(found.map(\.key))
        all = found.map { (.configuration, $0) }
    }

    /// The error that lists all problems, or `nil` if there are none.
    ///
    /// The error's code is that of the first problem.
    var error: IdentityServerError? {
        guard let first = all.first else { return nil }
        return IdentityServerError(
            first.code,
            message: all.map(\.problem.description).joined(separator: "\n")
        )
    }

    /// Whether none of the settings is known to be invalid.
    func areUsable(_ keys: [String]) -> Bool {
        !keys.contains(where: invalid.contains)
    }

    /// Performs a check, and records the error that it throws as problems with the first setting.
    ///
    /// If one of the settings is already known to be invalid, the check is skipped.
    ///
    /// - Parameters:
    ///   - keys: The settings that the check depends on.
    ///   - check: The check. An error with several lines is recorded as several problems.
    /// - Returns: The check's result, or `nil` if it was skipped or failed.
    mutating func attempt<Outcome>(_ keys: String..., check: () throws -> Outcome) -> Outcome? {
        guard areUsable(keys) else { return nil }
        do {
            return try check()
        } catch {
            report(error, for: keys[0])
            return nil
        }
    }

    /// Records an error that concerns a setting.
    mutating func report(_ error: any Error, for key: String) {
        let error = IdentityServerError(starting: error)
        let source = configuration.sources[key]?.description ?? "default"
        for line in error.message.split(separator: "\n") {
            let problem = ConfigurationError.Problem(key: key, source: source, message: String(line))
            all.append((error.code, problem))
        }
    }
}
