import CGio
import Dispatch

/// The time limit for an operation.
///
/// When the time limit expires, the operation's pending bus calls are cancelled.
///
/// `@unchecked Sendable` is safe because a `GCancellable` can be used from any thread, and this object holds
/// a reference to it.
final class Deadline: @unchecked Sendable {
    let cancellable: UnsafeMutablePointer<GCancellable>
    private let end: DispatchTime

    /// Creates a deadline that expires after the given time.
    init(after time: Duration) {
        cancellable = g_cancellable_new()
        end = .now() + .milliseconds(Int(time / .milliseconds(1)))
        let item = DispatchWorkItem { [weak self] in
            if let self { g_cancellable_cancel(self.cancellable) }
        }
        DispatchQueue.global(qos: .userInitiated).asyncAfter(deadline: end, execute: item)
    }

    deinit {
        g_object_unref(cancellable)
    }

    /// The remaining time in milliseconds.
    ///
    /// The value is always at least 1.
    var milliseconds: Int32 {
        let now = DispatchTime.now().uptimeNanoseconds
        guard end.uptimeNanoseconds > now else { return 1 }
        return Int32(clamping: (end.uptimeNanoseconds - now) / 1_000_000 + 1)
    }
}
