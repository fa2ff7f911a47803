// `Mutex` requires iOS 18.
import Synchronization

let mutex = Mutex(0)  // fault: 'Mutex' is only available in
