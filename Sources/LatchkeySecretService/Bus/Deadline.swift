import CGio
import Dispatch

/// Cancels what waits for the bus when its time is over.
///
/// `@unchecked Sendable`: the cancellable may be used from any thread, and is held as long as this lives.
final class Deadline: @unchecked Sendable {
    let cancellable: UnsafeMutablePointer<GCancellable>
    private let end: DispatchTime

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

    /// How much time is left, in milliseconds, and at least one.
    var milliseconds: Int32 {
        let now = DispatchTime.now().uptimeNanoseconds
        guard end.uptimeNanoseconds > now else { return 1 }
        return Int32(clamping: (end.uptimeNanoseconds - now) / 1_000_000 + 1)
    }
}
