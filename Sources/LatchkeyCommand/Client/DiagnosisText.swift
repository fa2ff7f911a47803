import Latchkey
import LatchkeyWire

/// The output format of a diagnosis.
enum DiagnosisText {
    /// Returns the text output with one fact per line, including the last ten entries of the journal.
    ///
    /// Each line begins with a label. The line `certificate` is omitted if there is no certificate, and
    /// `clock` if the difference between the clocks is unknown. The problems are not part of the output.
    static func lines(for diagnosis: Diagnosis, explanation: SessionExplanation) -> [String] {
        var lines = ["storage      \(diagnosis.storage.level): \(diagnosis.storage.reason)"]
        lines.append("session      \(explanation.summary)")
        if let certificate = diagnosis.certificate {
            lines.append(
                "certificate  until \(certificate.notAfter), renewed from \(certificate.renewalDate)"
            )
        }
        switch diagnosis.server {
        case .failure(let error): lines.append("server       \(error.message)")
        case .success(let server):
            let version = server.version.map { "version \($0)" } ?? "version unknown"
            let contract = server.contract.map { ", contract \($0)" } ?? ""
            lines.append(
                "server       \(version)\(contract), responded in \(milliseconds(server.answerTime)) ms"
            )
            if let ahead = server.clockAhead {
                let side = ahead < .zero ? "behind" : "ahead of"
                lines.append("clock        \(abs(milliseconds(ahead))) ms \(side) the server's")
            }
        }
        for entry in explanation.entries.suffix(10) { lines.append("journal      \(entry)") }
        return lines
    }

    /// Returns the JSON output, on one line.
    ///
    /// The output contains the problems and all entries of the journal. The member `certificate` is missing
    /// if there is no certificate.
    static func json(for diagnosis: Diagnosis, explanation: SessionExplanation) -> String {
        var members: [String: JSONValue] = [
            "storage": .object([
                "level": .string(diagnosis.storage.level.rawValue),
                "reason": .string(diagnosis.storage.reason),
                "erasure_pending": .bool(diagnosis.storage.isErasurePending),
            ]),
            "session": .object([
                "signed_in": .bool(diagnosis.session.session != nil), "why": .string(explanation.summary),
            ]),
            "journal": .array(explanation.entries.map { .string($0.description) }),
            "problems": .array(diagnosis.problems.map { .string($0) }),
        ]
        members["certificate"] = diagnosis.certificate.map { certificate in
            .object([
                "not_after": .string(certificate.notAfter.description),
                "renewed_from": .string(certificate.renewalDate.description),
            ])
        }
        members["server"] = .object(serverMembers(diagnosis.server))
        return SessionText.compact(.object(members))
    }

    /// Returns the members of `server`, with times in milliseconds.
    ///
    /// The result contains either `error`, or `answer_ms` and the known members of `version`, `contract` and
    /// `clock_ahead_ms`.
    private static func serverMembers(_ server: Result<Diagnosis.Server, LatchkeyError>) -> [String:
        JSONValue]
    {
        switch server {
        case .failure(let error): return ["error": .string(error.message)]
        case .success(let server):
            var members: [String: JSONValue] = ["answer_ms": .integer(milliseconds(server.answerTime))]
            members["version"] = server.version.map { .string($0) }
            members["contract"] = server.contract.map { .integer($0) }
            members["clock_ahead_ms"] = server.clockAhead.map { .integer(milliseconds($0)) }
            return members
        }
    }

    private static func milliseconds(_ duration: Duration) -> Int64 {
        Int64((duration / .milliseconds(1)).rounded())
    }
}
