// Script for a POSIX sh on another machine that prints what its kernel knows of a pane: builtins, and stty for the mode.

import { PTY_RELAYS, SERVED } from "../linux/relays.ts";
import type { SyscallTable, SystemCall } from "../linux/syscalls.ts";

/** Maximum number of processes that are read of a table, and of each kind of thing in a process. */
const MAX_PROCESSES = 200;
const MAX_THREADS = 1024;
const MAX_DESCRIPTORS = 256;
const MAX_SET = 1024;

/** Pattern of text, after `start`, with a process's name as its stat has it: one of these; `*` ends a prefix. */
function named(names: readonly string[], start: number | "" = ""): string {
  const ends = names.map((name) => name.endsWith("*") ? `${name.slice(0, -1)}'*` : `${name}) '*`);
  return ends.map((end) => `${start}*' (${end}`).join("|");
}

/**
 * `tm_line` reads a stat file as one line: kernels print the newlines of a name as they are, and no name has the fields
 * that follow it. `tm_read` reads a process's stat; if its first thread has ended, with the state of a live thread (`tm_l`).
 * `tm_orphans` finds members of the group below who took them in when their parents ended. Their pids may be less than
 * the leader's: pids wrap. `tm_groups` remembers the groups of a process's children: to read 200 of them takes 40 ms.
 *
 * Lines begin with a letter: L a pane's process, M `stty -g` of its terminal, Q a process's thread to read through and
 * its `/proc/PID/stat`, S the same of a process that may read that terminal. The others begin with a process (a thread
 * to read through) too: T a thread with its call, where it sleeps and its name if it reads, V a piece of memory, E a
 * line of `/proc/PID/fdinfo/FD`, F descriptors and their files, A and X what the first process is. `ls` lists the
 * sockets of a process that holds the terminal. For ports: O the network namespace of the sockets that follow (empty:
 * the shell's), N a row of the table of sockets that listen, which the kernel lists first; it may take 4 ms to read.
 */
const FUNCTIONS = String.raw`
tm_line() {
  read -r tm_s <$1 || return
  case $tm_s in *') '?' '*' '*' '*' '*' '*' '*' '*' '*' '*' '*) return ;; esac
  tm_s=$(tr '\n' ' ' <$1)
  tm_s=$\{tm_s% }
  [ -n "$tm_s" ]
}
tm_read() {
  tm_l=$1
  tm_line /proc/$1/stat || return
  case $\{tm_s##*\) } in 'Z '*) ;; *) return 0 ;; esac
  tm_z=$tm_s
  for tm_d in /proc/$1/task/*; do
    tm_line $tm_d/stat || continue
    tm_v=$\{tm_s##*\) }
    case $tm_v in [ZX]' '*) continue ;; esac
    tm_l=$\{tm_d##*/} tm_s="$\{tm_z%\) Z *}) $\{tm_v%% *} $\{tm_z##*\) Z }"
    return
  done
  tm_s=$tm_z
}
tm_memory() {
  printf 'V %s ' "$*"; dd if=/proc/$1/mem bs=1 skip=$2 count=$3 | od -An -v -tx1 | tr -d ' \n'; echo
}
tm_info() {
  while read -r tm_a tm_v tm_x; do
    case $tm_a in
      flags:|tty-index:) printf 'E %s %s %s %s\n' $tm_l $1 $tm_a $tm_v ;;
      tfd:)
        printf 'E %s %s tfd: %s %s\n' $tm_l $1 $tm_v "$tm_x"
        [ $2 = 1 ] || tm_info $tm_v 1 ;;
    esac
  done </proc/$tm_l/fdinfo/$1
}
tm_thread() {
  tm_c=; read -r tm_c </proc/$1/task/$2/syscall
  tm_w=; read -r tm_w </proc/$1/task/$2/wchan
  tm_v=; case "|$TM_READ|" in *"|$\{tm_c%% *}|"*) read -r tm_v </proc/$1/task/$2/comm ;; esac
  printf 'T %s %s %s|%s|%s\n' $1 $2 "$tm_c" "$tm_w" "$tm_v"
  set -- $1 $2 $tm_c
  tm_q=$3
  case $tm_w in *poll*) [ "$3" != "$TM_RESTART" ] || tm_q=$\{TM_POLL%%|*} ;; esac
  case "|$TM_POLL|" in *"|$tm_q|"*)
    tm_e=1
    [ $(($5)) -le ${MAX_SET} ] && tm_memory $tm_l $(($4)) $(($5 * 8)) ;;
  esac
  case "|$TM_SELECT|" in *"|$3|"*)
    tm_e=1
    [ $(($4)) -le ${MAX_SET} ] && [ $(($5)) -gt 0 ] && tm_memory $tm_l $(($5)) $((($4 + 63) / 64 * 8)) ;;
  esac
  case "|$TM_EPOLL|" in *"|$3|"*) tm_info $(($4)) 0 ;; esac
  case "||$TM_OPAQUE|" in *"|$3|"*) tm_u=1 ;; esac
}
tm_fds() {
  tm_t= tm_m= tm_k= tm_n=0 tm_o="F $tm_l"
  for tm_f in /proc/$tm_l/fd/*; do
    [ -e "$tm_f" ] || continue
    tm_y= tm_i=$tm_u
    if [ "$tm_f" -ef "$tm_tty" ]; then tm_y=$tm_tty tm_t=1
    elif [ "$tm_f" -ef /dev/tty ]; then tm_y=/dev/tty tm_t=1 tm_i=1
    elif [ "$tm_f" -ef /dev/ptmx ]; then tm_y=/dev/ptmx tm_m=1 tm_i=1
    elif [ -f "$tm_f" ]; then tm_y=/file tm_i=
    elif [ -d "$tm_f" ] || [ -c "$tm_f" ] || [ -b "$tm_f" ]; then tm_i=
    elif [ -p "$tm_f" ]; then tm_y=pipe:
    elif [ -S "$tm_f" ]; then tm_y=socket: tm_k=1
    else
      tm_y=anon_inode:
      while read -r tm_a tm_v; do
        case $tm_a in
          SqMask:|SqEntries:) tm_y='anon_inode:[io_uring]' ;;
          inotify) tm_y=anon_inode:inotify ;;
          tfd:) tm_y='anon_inode:[eventpoll]' tm_i=$tm_u$tm_e ;;
          *) continue ;;
        esac
        break
      done </proc/$tm_l/fdinfo/$\{tm_f##*/}
    fi
    [ -z "$tm_i" ] || tm_info $\{tm_f##*/} 0
    tm_o="$tm_o $\{tm_f##*/}=$tm_y" tm_n=$((tm_n + 1))
    [ $tm_n -le ${MAX_DESCRIPTORS} ] || break
  done
  printf '%s\n' "$tm_o"
  [ -n "$tm_k" ] && [ -n "$tm_t" ] || return
  printf '/proc/%s/fd:\n' $tm_l
  ls -ln /proc/$tm_l/fd | grep '^l.*socket:'
}
tm_children() {
  set -- $1 ''
  for tm_d in /proc/$1/task/*/children; do
    tm_k=; read -r tm_k <$tm_d
    set -- $1 "$2$tm_k "
  done
  tm_k=$2
}
tm_show() {
  printf 'S %s %s\n' $tm_l "$tm_s"
  case $tm_s in *') '[ZX]' '*) return ;; esac
  case $tm_s in *' (MainThread) '*|*' ('???????????????') '*) tm_argv $tm_l ;; esac
  case $tm_s in ${named(PTY_RELAYS)}) tm_h=1 ;; *) tm_h= ;; esac
  tm_i=0 tm_u= tm_e=
  for tm_d in /proc/$1/task/*; do
    [ $\{tm_d##*/} != $1 ] || [ $tm_l = $1 ] || continue
    tm_i=$((tm_i + 1))
    [ $tm_i -le ${MAX_THREADS} ] && tm_thread $1 $\{tm_d##*/}
  done
  tm_fds
  [ -n "$tm_h$tm_m" ] || return
  tm_children $1
  for tm_c in $tm_k; do tm_stat $tm_c; done
}
tm_visit() {
  case " $tm_seen " in *" $1 "*) return ;; esac
  tm_seen="$tm_seen $1" tm_count=$((tm_count + 1))
  [ $tm_count -le ${MAX_PROCESSES} ] && tm_read $1 || return
  set -- $1 $2 $\{tm_s##*\) }
  if [ $5 = $tm_group ]; then
    tm_names="$tm_names $\{tm_s%%\) *}) "
    tm_show $1
  elif [ $6 != $tm_session ] && { [ $7 = 0 ] || [ /proc/$1/fd/0 -ef "$tm_tty" ]; }; then tm_show $1
  elif [ $2 = 0 ]; then return
  fi
  tm_children $1
  for tm_c in $tm_k; do tm_visit $tm_c $2; done
}
tm_argv() {
  printf 'A %s ' $1; tr '\000\n' '\001\002' </proc/$1/cmdline; printf '\nX %s ' $1; readlink /proc/$1/exe || echo
}
tm_servers() {
  for tm_d in /proc/[0-9]*; do
    read -r tm_v <$tm_d/comm || continue
    case "$1 ($tm_v) " in ${
  SERVED.map(([, servers], row) => named(servers, row)).join("|")
}) ;; *) continue ;; esac
    tm_p=$\{tm_d#/proc/}
    tm_read $tm_p || continue
    set -- $1 $\{tm_s##*\) }
    [ $6 != $tm_device ] || continue
    for tm_f in /proc/$tm_p/fd/*; do
      [ "$tm_f" -ef "$tm_tty" ] || continue
      tm_show $tm_p
      break
    done
  done
}
tm_groups() {
  for tm_c in $3; do
    case " $2" in *" $tm_c "*) ;; *) unset tm_g$tm_c ;; esac
  done
  tm_x=' '
  for tm_c in $2; do
    eval "tm_v=\$tm_g$tm_c"
    if [ -z "$tm_v" ]; then
      tm_line /proc/$tm_c/stat || continue
      tm_s=$\{tm_s##*\) } tm_s=$\{tm_s#* } tm_s=$\{tm_s#* } tm_v=$\{tm_s%% *}
      eval "tm_g$tm_c=$tm_v"
    fi
    tm_x="$tm_x$tm_v "
  done
  eval "tm_k$1=\$2 tm_x$1=\$tm_x"
}
tm_members() {
  tm_children $1
  set -- $1 "$tm_k"
  eval "tm_k=\$tm_k$1"
  [ "$2" = "$tm_k" ] || tm_groups $1 "$2" "$tm_k"
  eval "tm_x=\$tm_x$1"
  case $tm_x in *" $tm_group "*) ;; *) return ;; esac
  for tm_c in $2; do
    eval "tm_v=\$tm_g$tm_c"
    [ "$tm_v" != $tm_group ] || tm_visit $tm_c 0
  done
}
tm_orphans() {
  while [ $1 -gt 0 ]; do
    [ $1 = $tm_server ] && [ $1 != 1 ] || tm_members $1
    tm_line /proc/$1/stat || return
    set -- $\{tm_s##*\) }
    set -- $2
  done
}
tm_inspect() {
  tm_tty=$2 tm_seen= tm_names= tm_count=0
  printf 'L %s\n' $1
  tm_read $1 || return
  printf 'Q %s %s\nM %s\n' $tm_l "$tm_s" "$(stty -g <"$2")"
  set -- $1 $2 $\{tm_s##*\) }
  tm_group=$8 tm_session=$6 tm_server=$4 tm_device=$7
  [ "$tm_group" -gt 0 ] || tm_group=$5
  if tm_read $tm_group; then
    tm_leader=$tm_l
    set -- $1 $2 $\{tm_s##*\) }
    tm_visit $tm_group 0
    [ $tm_group = $1 ] || tm_members $4
    tm_orphans $4
    tm_argv $tm_leader
  else
    tm_visit $1 1
  fi
  case $tm_names in
${SERVED.map(([client], row) => `    ${named([client])}) tm_servers ${row} ;;`).join("\n")}
  esac
}
tm_stat() { tm_read $1 && printf 'Q %s %s\n' $tm_l "$tm_s"; }
tm_table() {
  for tm_f in tcp tcp6; do
    while read -r tm_v; do
      case $tm_v in sl*) ;; *' 0A '*) printf 'N %s\n' "$tm_v" ;; *) break ;; esac
    done </proc/$1/net/$tm_f
  done
}
tm_listening() { tm_table $1; sed -n '/^[^ ]* [^ ]* [^ ]* 00010000 /s/^/N /p' /proc/$1/net/unix; }
tm_tree() {
  tm_count=$((tm_count + 1))
  [ $tm_count -le ${MAX_PROCESSES} ] && tm_read $1 || return
  printf 'Q %s %s\n' $tm_l "$tm_s"
  if [ $1 = $tm_pane ] || ! [ /proc/$1/ns/net -ef /proc/$tm_pane/ns/net ]; then
    tm_n=
    [ /proc/$1/ns/net -ef /proc/$$/ns/net ] || tm_n=$(readlink /proc/$1/ns/net)
    [ $1 != $tm_pane ] && [ -z "$tm_n" ] || { printf 'O %s\n' "$tm_n"; tm_table $1; }
  fi
  tm_children $1
  for tm_c in $tm_k; do tm_tree $tm_c; done
}
tm_ports() { tm_pane=$1 tm_count=0; tm_tree $1; }
tm_holders() {
  tm_sid=$1 tm_i=$2 tm_k=
  shift 2
  tm_seen=" $* "
  for tm_d in /proc/[0-9]*; do
    tm_line $tm_d/stat || continue
    set -- $\{tm_s##*\) }
    case $tm_sid:$tm_seen in "*:"*|"$4:"*|*" $\{tm_d#/proc/} "*) ;; *) continue ;; esac
    printf 'Q %s %s\n' $\{tm_d#/proc/} "$tm_s"
    tm_k="$tm_k $tm_d/fd"
  done
  ls -ln /proc/$$/fd $tm_k | grep -E '^/proc|^l.*socket:.('"$tm_i"').$'
}
tm_sleeps() { while read -r tm_a tm_v; do [ $tm_a = voluntary_ctxt_switches: ] && echo $tm_v; done </proc/$1/status; }
`;

/** Returns the script's functions, for a machine with these system calls. */
export function remoteFunctions(calls: SyscallTable): string {
  const numbers = (shape: SystemCall["shape"]): string => calls.numbersOf(shape).join("|");
  const sets = (["read", "poll", "select", "epoll", "opaque", "restart"] as const).map((shape) =>
    `TM_${shape.toUpperCase()}='${numbers(shape)}'`
  );
  return `${sets.join(" ")}${FUNCTIONS.replaceAll("$\\{", "${")}`;
}
