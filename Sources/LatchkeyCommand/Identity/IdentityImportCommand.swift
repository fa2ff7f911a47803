import LatchkeyAdmin
import LatchkeyWire

/// Imports identities from another system.
///
/// This is a command for operators.
struct IdentityImportCommand: Subcommand {
    /// The number of lines that are sent concurrently.
    ///
    /// The server can store all lines of a batch in a single database commit.
    private static let batchSize = 32

    let syntax = Syntax(
        name: "identity import",
        summary: "create an identity from each line of a file",
        details: [
            OperatorOptions.detail + " A data folder that doesn't exist is created.",
            "Each line is a JSON object as accepted by POST /admin/identities: schema_id, traits and, where available, credentials.password.config.hashed_password (Argon2id, Argon2i, bcrypt, scrypt, PBKDF2), verifiable_addresses, metadata_public, metadata_admin, external_id and state. Rejected lines are reported with their line number and the reason; all others are imported. If you run the import again, it rejects identities that already exist.",
        ],
        operands: ["FILE"],
        options: OperatorOptions.all,
        takesSettings: true,
        examples: [
            ("identity import people.jsonl", "From a file"),
            ("identity import - < people.jsonl", "From standard input"),
        ]
    )

    /// Creates an identity from each line and prints how many lines were imported and rejected.
    ///
    /// The file can be of any size, because it is read in batches of ``batchSize`` lines. Rejected lines are
    /// reported on standard error after each batch, in file order. If the import fails, the identities that
    /// have already been created are kept.
    ///
    /// - Throws: ``CommandFailure`` with the code `storage` if the file can't be read, or `refused` if lines
    ///   were rejected. The rest of the file is still processed when a line is rejected. The import stops
    ///   immediately if the server returns status 401 or 5xx.
    func run(_ arguments: Arguments, on console: Console) async throws(CommandFailure) {
        let lines = try LineReader(arguments.operands[0])
        let report = try await AdminClient.withClient(
            for: arguments,
            console: console,
            createsData: true
        ) { client in
            var report = ImportReport()
            while true {
                let batch = try await lines.next(atMost: Self.batchSize)
                guard !batch.isEmpty else { break }
                for rejection in try await importBatch(batch, with: client, report: &report) {
                    console.showProgress("")
                    console.report("line \(rejection.line): \(rejection.reason)")
                }
                console.showProgress("\(report.imported) imported, \(report.rejected) rejected")
            }
            console.showProgress("")
            return report
        }
        let summary = JSONValue.object([
            "imported": .integer(Int64(report.imported)), "refused": .integer(Int64(report.rejected)),
        ])
        console.write(summary, asJSON: arguments.has("json")) { _ in
            ["\(report.imported) imported, \(report.rejected) rejected"]
        }
        guard report.rejected == 0 else {
            throw CommandFailure(.refused, message: "some lines were rejected; see the line numbers above")
        }
    }

    /// Sends lines concurrently.
    ///
    /// The rejected lines are returned in file order.
    ///
    /// - Parameters:
    ///   - lines: The lines to send. Each line is a JSON object, which the server validates. Lines that
    ///     aren't UTF-8 are rejected without being sent.
    ///   - client: The admin API client.
    ///   - report: The report to add the numbers of imported and rejected lines to. If an error is thrown,
    ///     the report is unchanged.
    /// - Returns: The rejected lines.
    /// - Throws: ``CommandFailure`` if the server can't process any requests. Lines before the failure may
    ///   already have been imported.
    private func importBatch(
        _ lines: [LineReader.Line],
        with client: AdminClient,
        report: inout ImportReport
    ) async throws -> [ImportReport.Rejection] {
        let rejections = try await withThrowingTaskGroup(of: ImportReport.Rejection?.self) { group in
            var rejections: [ImportReport.Rejection] = []
            for line in lines {
                let text: String
                do {
                    text = try line.text.get()
                } catch {
                    rejections.append(ImportReport.Rejection(line: line.number, reason: "\(error)"))
                    continue
                }
                group.addTask {
                    let response = try await client.response(
                        .post,
                        path: AdminRoute.identities,
                        body: Array(text.utf8)
                    )
                    switch response.status {
                    case 201: return nil
                    // The server can't process any requests, so all following lines would fail as well.
                    case 401, 500...: throw CommandFailure(refusal: response)
                    default:
                        let reason = CommandFailure(refusal: response).message
                        return ImportReport.Rejection(
                            line: line.number,
                            reason: reason.split(separator: "\n").joined(separator: "; ")
                        )
                    }
                }
            }
            for try await rejection in group {
                if let rejection { rejections.append(rejection) }
            }
            return rejections
        }
        report.imported += lines.count - rejections.count
        report.rejected += rejections.count
        return rejections.sorted { $0.line < $1.line }
    }
}

/// Counts the lines that have been processed by an import.
private struct ImportReport: Sendable {
    struct Rejection: Sendable {
        /// The line number in the file, starting at 1.
        ///
        /// Blank lines are counted.
        let line: Int
        /// The reason given by the server, on a single line.
        let reason: String
    }

    var imported = 0
    var rejected = 0
}
