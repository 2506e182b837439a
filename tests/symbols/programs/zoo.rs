// Names of Rust, in whichever mangling the compiler was told to use.
use std::hint::black_box;

pub mod beasts {
    #[inline(never)]
    pub fn spin(mut x: u64, rounds: u64) -> u64 {
        for _ in 0..rounds {
            x = x.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        }
        x
    }

    pub struct Bear(pub u64);
    impl Bear {
        #[inline(never)]
        pub fn dance(&mut self, rounds: u64) -> u64 {
            for _ in 0..rounds {
                self.0 = (self.0 ^ self.0 >> 29).wrapping_mul(0xbf58476d1ce4e5b9);
            }
            self.0
        }
    }
}

fn main() {
    let spin: fn(u64, u64) -> u64 = beasts::spin;
    let dance: fn(&mut beasts::Bear, u64) -> u64 = beasts::Bear::dance;
    let mut bear = beasts::Bear(black_box(1));
    println!("at 4spin {:p}\nat 5dance {:p}\nready", spin as *const (), dance as *const ());
    let _ = std::io::stdin().read_line(&mut String::new());
    let begin = std::time::Instant::now();
    let mut x = 1;
    let mut state: u64 = 1;
    while begin.elapsed().as_secs() < 900 {
        for _ in 0..10 {
            // at random, as zoo_rounds() of burn.h
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            let part = 25_000 + (state >> 33) % 50_001;
            x = spin(black_box(x), black_box(4 * part));
            x += dance(&mut bear, black_box(100_001 - part));
        }
        std::thread::sleep(std::time::Duration::from_millis(200));
    }
    black_box(x);
}
