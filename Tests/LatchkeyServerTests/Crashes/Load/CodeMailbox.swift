import LatchkeyModel
import TestProcesses

/// The codes that users have received.
///
/// Tests can wait for a code to arrive.
final class CodeMailbox: Sendable {
    private struct Waiter {
        let recipient: String
        let seen: Int
        let continuation: CheckedContinuation<String?, Never>
    }

    private struct Contents {
        /// The codes for each recipient in order of arrival, with one code per message.
        var codes: [String: [(key: String, code: String)]] = [:]
        var waiters: [Waiter] = []
        var isClosed = false
    }

    private let contents = Locked(Contents())

    /// Returns the number of messages with a code that were sent to an address.
    func count(_ recipient: String) -> Int {
        contents.withLock { $0.codes[recipient]?.count ?? 0 }
    }

    /// Returns the next code after the given number of codes, or `nil` if the inbox is closed before that
    /// code arrives.
    func code(to recipient: String, after seen: Int) async -> String? {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                contents.withLock { now in
                    now.waiters.append(Waiter(recipient: recipient, seen: seen, continuation: continuation))
                }
                answer()
            }
        } onCancel: {
            setClosed(true)
        }
    }

    /// Opens or closes the inbox.
    ///
    /// When the inbox is closed, all tasks that are waiting for a code receive `nil`.
    func setClosed(_ isClosed: Bool) {
        contents.withLock { $0.isClosed = isClosed }
        answer()
    }

    /// Collects messages from a sink until the task is cancelled.
    func collect(from sink: MessageSink) async {
        var seen = 0
        while !Task.isCancelled {
            guard let reports = try? await sink.reports(atLeast: seen + 1, as: HTTPReport.self) else {
                return
            }
            guard reports.count > seen else { return }
            for report in reports.dropFirst(seen) { take(report) }
            seen = reports.count
            answer()
        }
    }

    private func take(_ report: HTTPReport) {
        guard let recipient = report.body["to"], let code = report.body["code"], !code.isEmpty else { return }
        contents.withLock { now in
            var codes = now.codes[recipient] ?? []
            // If a message is sent again, its idempotency key doesn't change.
            guard !codes.contains(where: { $0.key == report.key }) else { return }
            codes.append((report.key, code))
            now.codes[recipient] = codes
        }
    }

    private func answer() {
        let answers = contents.withLock { now in
            var answers: [(CheckedContinuation<String?, Never>, String?)] = []
            var rest: [Waiter] = []
            for waiter in now.waiters {
                let codes = now.codes[waiter.recipient] ?? []
                if codes.count > waiter.seen {
                    answers.append((waiter.continuation, codes[waiter.seen].code))
                } else if now.isClosed {
                    answers.append((waiter.continuation, nil))
                } else {
                    rest.append(waiter)
                }
            }
            now.waiters = rest
            return answers
        }
        for (continuation, code) in answers { continuation.resume(returning: code) }
    }
}
