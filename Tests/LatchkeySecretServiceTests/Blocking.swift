import Foundation
import LatchkeyCore
import LatchkeyModel

/// Runs blocking work on a separate thread.
func off<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws -> Value {
    try await withCheckedThrowingContinuation { continuation in
        Thread.detachNewThread { continuation.resume(with: Result { try body() }) }
    }
}

/// A value that several threads can set.
final class Box<Value: Sendable>: Sendable {
    private let value: Locked<Value>

    init(_ value: Value) {
        self.value = Locked(value)
    }

    func get() -> Value { value.withLock { $0 } }

    func set(_ new: Value) { value.withLock { $0 = new } }
}

/// Asynchronous variants of a store's operations that don't block the threads that run Swift tasks.
extension SessionStore {
    func reading() async throws -> Reading {
        try await off { Reading(self.read()) }
    }

    /// Writes a record and returns the new generation or the error.
    func writing(_ text: String, basedOn generation: UInt64 = 0) async throws -> Result<UInt64, Refusal> {
        try await off {
            do throws(SessionStoreError) {
                return .success(try self.write(Array(text.utf8), basedOn: generation))
            } catch {
                return .failure(Refusal(code: error.code))
            }
        }
    }

    func removing() async throws -> SessionStoreError.Code? {
        try await off {
            do throws(SessionStoreError) {
                try self.remove()
                return nil
            } catch {
                return error.code
            }
        }
    }
}

struct Refusal: Error, Equatable {
    let code: SessionStoreError.Code
}

/// The result of a read, as a type that conforms to `Equatable`.
enum Reading: Sendable, Equatable {
    case present(String)
    case absent
    case unavailable(SessionStoreError.Code)

    init(_ record: StoredRecord) {
        self =
            switch record {
            case .present(let bytes, _): .present(String(decoding: bytes, as: UTF8.self))
            case .absent: .absent
            case .unavailable(let error): .unavailable(error.code)
            }
    }
}
