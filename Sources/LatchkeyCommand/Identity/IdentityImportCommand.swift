import LatchkeyAdmin
import LatchkeyWire

/// The operator's command that imports identities from another system.
struct IdentityImportCommand: Subcommand {
    /// The number of lines that are sent concurrently, so that their writes share a database commit.
    private static let batchSize = 32

    let syntax = Syntax(
        name: "identity import",
        summary: "create an identity from each line of a file",
        details: [
            OperatorOptions.detail,
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

    /// Creates an identity from each line, and prints the numbers of imported and rejected lines.
    ///
    /// The file is read in batches of ``batchSize`` lines, so its size is not limited. Rejected lines are
    /// reported on standard error, batch by batch in the order of the file. Identities that were created
    /// before a failure are not rolled back.
    ///
    /// - Throws: ``CommandFailure`` of the kind `storage` if the file cannot be read, or `refused` after the
    ///   whole file has been processed if lines were rejected. A response with status 401 or 5xx ends the
    ///   import at once.
    func run(_ arguments: Arguments, on console: Console) async throws(CommandFailure) {
        let lines = try LineReader(arguments.operands[0])
        let report = try await AdminClient.withClient(for: arguments, console: console) { client in
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
            "\(report.imported) imported, \(report.rejected) rejected"
        }
        guard report.rejected == 0 else {
            throw CommandFailure(.refused, message: "some lines were rejected; see the line numbers above")
        }
    }

    /// Sends lines concurrently, and returns the rejected lines in the order of the file.
    ///
    /// - Parameters:
    ///   - lines: The lines, each a JSON object, which the server validates.
    ///   - client: The client of the admin API.
    ///   - report: The report to which the counts of the batch are added unless an error is thrown.
    /// - Returns: The rejected lines.
    /// - Throws: ``CommandFailure`` if the server cannot process any request, although some lines may have
    ///   been imported.
    private func importBatch(
        _ lines: [LineReader.Line],
        with client: AdminClient,
        report: inout ImportReport
    ) async throws -> [ImportReport.Rejection] {
        let rejections = try await withThrowingTaskGroup(of: ImportReport.Rejection?.self) { group in
            for line in lines {
                group.addTask {
                    let response = try await client.response(
                        .post,
                        path: AdminRoute.identities,
                        body: Array(line.text.utf8)
                    )
                    switch response.status {
                    case 201: return nil
                    // The server cannot process any request, so the following lines would fail, too.
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
            var rejections: [ImportReport.Rejection] = []
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

/// The numbers of lines that an import has processed.
private struct ImportReport: Sendable {
    /// A line that was rejected.
    struct Rejection: Sendable {
        /// The number of the line in the file, starting at 1 and counting blank lines.
        let line: Int
        /// The server's reason, on one line.
        let reason: String
    }

    var imported = 0
    var rejected = 0
}
