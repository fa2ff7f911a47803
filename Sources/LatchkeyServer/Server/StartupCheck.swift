import LatchkeyCourier
import LatchkeyMicrohttpd
import LatchkeySQLite
import LatchkeyServerKit

/// The checks that a server performs before it creates or changes anything.
///
/// `latchkey serve` and `latchkey config check` both perform these checks, so neither accepts a configuration
/// that the other one refuses.
struct StartupCheck: Sendable {
    /// The operator's files, or `nil` if there are problems with them.
    private let files: OperatorFiles?

    /// The problems that were found.
    private(set) var problems: StartupProblems

    /// Checks a configuration and everything that it refers to.
    ///
    /// The checks don't create or change any files, and don't connect to other machines, except to look up
    /// the names of listen addresses.
    ///
    /// - Parameters:
    ///   - configuration: The configuration.
    ///   - found: Problems that were found while the configuration was loaded. The affected settings aren't
    ///     checked.
    /// - Throws: ``IdentityServerError`` with the code `resources` if the checks can't be performed.
    init(
        _ configuration: ServerConfiguration,
        found: [ConfigurationError.Problem] = []
    ) async throws(IdentityServerError) {
        do {
            // Name lookups and the operator's files can block for a long time.
            (files, problems) = try await ServerStores.onOwnThread {
                var problems = StartupProblems(configuration, found: found)
                let files = OperatorFiles(configuration, reporting: &problems)
                if configuration.courier.mailKind == .smtp {
                    _ = problems.attempt("courier.mail.certificates") {
                        try configuration.courier.mail.trustedCertificates()
                    }
                }
                Self.checkData(of: configuration, reporting: &problems)
                Self.checkListeners(of: configuration, reporting: &problems)
                return (files, problems)
            }
        } catch {
            throw IdentityServerError(starting: error)
        }
    }

    /// The operator's files.
    ///
    /// Reading this property throws an error that lists all problems if there are any.
    var usableFiles: OperatorFiles {
        get throws(IdentityServerError) {
            if let error = problems.error { throw error }
            guard let files else {
                throw IdentityServerError(.configuration, message: "The operator's files cannot be used.")
            }
            return files
        }
    }

    /// Checks the data folder, the keys and the admin token's file.
    private static func checkData(
        of configuration: ServerConfiguration,
        reporting problems: inout StartupProblems
    ) {
        let found = problems.attempt("data") { try DataFolder(existing: configuration.data) }
        guard let folder = found ?? nil else { return }
        _ = problems.attempt("data") {
            try folder.checkFiles(usesSQLite: configuration.database == nil)
            let keys = try ServerKeys(existingIn: folder)
            let token = AdminTokenFile(in: folder)
            if try token.isChanged(by: configuration.admin, secrets: keys?.secrets) {
                try folder.checkIsWritable()
            }
        }
    }

    /// Checks the addresses of the two listeners.
    private static func checkListeners(
        of configuration: ServerConfiguration,
        reporting problems: inout StartupProblems
    ) {
        func check(_ key: String, host: String, port: Int) -> ListenAddress? {
            problems.attempt(key, key.hasPrefix("admin.") ? "admin.port" : "port") {
                let address = try ListenAddress(host, port: port)
                try address.check()
                return address
            }
        }
        let clients = check("host", host: configuration.host, port: configuration.port)
        let operators = check("admin.host", host: configuration.admin.host, port: configuration.admin.port)
        guard let clients, let operators, clients.overlaps(operators) else { return }
        problems.report(
            IdentityServerError(.configuration, message: "must differ from port, as the addresses overlap"),
            for: "admin.port"
        )
    }

    /// Compares an existing SQLite database with this version and with the keys in the data folder.
    ///
    /// A server finds the same problems when it opens the database. This method only reads it.
    mutating func checkDatabase(of configuration: ServerConfiguration) async {
        guard configuration.database == nil, problems.areUsable(["data", "database"]) else { return }
        do {
            guard let folder = try DataFolder(existing: configuration.data), folder.database.exists else {
                return
            }
            let snapshot = try SQLiteSnapshot(of: folder.database.path, migrations: .all)
            if let keys = try? ServerKeys(existingIn: folder), try snapshot.hasTable("server_keys") {
                try await KeyRegister(snapshot).check(keys.secrets, authority: keys.authority)
            }
            await snapshot.close()
        } catch {
            // Problems with the folder itself have been found already.
            if !(error is DataFolderError) { problems.report(error, for: "data") }
        }
    }
}

extension ServerConfiguration {
    /// Loads a configuration and performs all checks that a server performs when it starts.
    ///
    /// The checks don't create or change anything, and don't connect to a PostgreSQL database, a mail server
    /// or any other provider.
    ///
    /// - Parameters:
    ///   - file: The path of a JSON5 file, or `nil` if there is no file.
    ///   - environment: The environment variables of the process.
    ///   - flags: The settings from the command line, keyed by name.
    /// - Returns: The configuration.
    /// - Throws: ``IdentityServerError``, which lists all problems, one per line. Its code is that of the
    ///   first problem.
    package static func check(
        file: String? = nil,
        environment: [String: String] = [:],
        flags: [String: String] = [:]
    ) async throws(IdentityServerError) -> ServerConfiguration {
        let (configuration, found) = read(file: file, environment: environment, flags: flags)
        var problems = StartupProblems(configuration, found: found)
        // If the configuration file can't be read at all, checks of the default settings would be misleading.
        if !found.contains(where: \.key.isEmpty) {
            var check = try await StartupCheck(configuration, found: found)
            await check.checkDatabase(of: configuration)
            problems = check.problems
        }
        if let error = problems.error { throw error }
        return configuration
    }
}
